// Objects as files: `<folder>/<kind>/<first two characters of the name's hash>/<name>`.
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertFreeSpace } from "../../../program/files/free-space.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { isObjectKey, type ObjectStorage, type StoredObject } from "./object-storage.ts";

const CHUNK_BYTES = 256 * 1024;
/** End of the name under which an object is written before it is complete. */
const DRAFT = /\.[0-9a-f]{12}\.part$/;

/** Storage in a folder, which is created on demand. A write that would leave less than `minFreeBytes` of the disk free
 *  (default: no limit) throws SERVICE_UNAVAILABLE. Writes are atomic: content is written to a temporary file, synced
 *  and renamed, so a crash leaves either the old or the new object. */
export function createDiskStorage(folder: string, { minFreeBytes = 0 }: { minFreeBytes?: number } = {}): ObjectStorage {
  async function write(
    key: string,
    expectedBytes: number,
    source: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<StoredObject> {
    const path = pathOf(folder, key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await assertFreeSpace(folder, minFreeBytes, expectedBytes);
    const temporaryPath = `${path}.${randomBytes(6).toString("hex")}.part`;
    const hash = createHash("sha256");
    let sizeBytes = 0;
    try {
      const file = await open(temporaryPath, "wx", 0o600);
      try {
        for await (const chunk of source()) {
          hash.update(chunk);
          sizeBytes += chunk.byteLength;
          await file.write(chunk);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporaryPath, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
    return { key, sizeBytes, sha256: hash.digest("hex") };
  }

  return {
    put: (key, content) => write(key, content.byteLength, () => [content]),
    putFile: async (key, path) => write(key, (await stat(path)).size, () => chunksOf(path)),

    async sizeOf(key) {
      if (!isObjectKey(key)) return null;
      try {
        return (await stat(pathOf(folder, key))).size;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async read(key, range) {
      const file = await openForReading(folder, key);
      return file.createReadStream(range ? { start: range.start, end: range.end - 1 } : {});
    },

    async readAll(key) {
      const file = await openForReading(folder, key);
      try {
        return await readFile(file);
      } finally {
        await file.close();
      }
    },

    async delete(key) {
      if (isObjectKey(key)) await rm(pathOf(folder, key), { force: true });
    },

    async *list() {
      for (const kind of await namesIn(folder)) {
        for (const shard of await namesIn(join(folder, kind))) {
          for (const name of await namesIn(join(folder, kind, shard))) {
            const key = `${kind}/${name}`;
            // Neither drafts nor files that were put there by hand.
            if (!isObjectKey(key) || DRAFT.test(name)) continue;
            const entry = await stat(join(folder, kind, shard, name)).catch(() => null);
            if (entry?.isFile()) yield { key, sizeBytes: entry.size };
          }
        }
      }
    },
  };
}

/** Names in a folder; none if it does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A file's content in pieces that share one buffer, because 100 MB of buffers would burden the garbage collector. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function pathOf(folder: string, key: string): string {
  if (!isObjectKey(key)) throw new RangeError(`not an object key: ${key}`);
  const [kind, name] = key.split("/");
  const shard = createHash("sha256").update(name).digest("hex").slice(0, 2);
  return join(folder, kind, shard, name);
}

async function openForReading(folder: string, key: string): Promise<FileHandle> {
  try {
    return await open(pathOf(folder, key), "r");
  } catch (error) {
    if (isMissing(error) || error instanceof RangeError) throw new ServiceError("NOT_FOUND", "File not found");
    throw error;
  }
}

/** A rename is durable only after its folder has been synced. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
