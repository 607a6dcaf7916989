// Copies stored objects into the folder of a backup, and back.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ListedObject, ObjectStorage } from "../../../api/kernel/storage/object-storage.ts";
import { isServiceError } from "../../../shared/errors.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { type BackupObject, backupObjectSchema, backupPaths } from "./backup-format.ts";
import { hashFile, readLines } from "./compressed-lines.ts";

const OWNER_ONLY = 0o600;

/** Copies objects that `copied` does not hold yet, or holds with another size, and adds them to it. Objects that are
 *  deleted meanwhile are left out. Throws the storage's error, or the signal's. */
export async function copyNewObjects(
  storage: ObjectStorage,
  folder: string,
  copied: Map<string, BackupObject>,
  { onCopied, signal }: { onCopied(copied: number): void; signal: AbortSignal },
): Promise<void> {
  for await (const listed of storage.list()) {
    signal.throwIfAborted();
    if (copied.get(listed.key)?.size === listed.sizeBytes) continue;
    const object = await copyObject(storage, listed, backupPaths(folder).object(listed.key));
    if (object) copied.set(listed.key, object);
    onCopied(copied.size);
  }
}

async function copyObject(storage: ObjectStorage, { key }: ListedObject, path: string): Promise<BackupObject | null> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let content: NodeJS.ReadableStream;
  try {
    content = await storage.read(key);
  } catch (error) {
    if (isServiceError(error) && error.code === "NOT_FOUND") return null;
    throw error;
  }
  const hash = createHash("sha256");
  let size = 0;
  const counted = new PassThrough();
  counted.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    size += chunk.length;
  });
  try {
    await pipeline(content as Readable, counted, createWriteStream(path, { mode: OWNER_ONLY }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { key, size, sha256: hash.digest("hex") };
}

/** Stores the objects of a backup, and compares each with its hash. Throws CliError `no_input` for one that is missing
 *  or differs, or the storage's error. */
export async function restoreObjects(
  storage: ObjectStorage,
  folder: string,
  { onStored, signal }: { onStored(stored: number): void; signal: AbortSignal },
): Promise<void> {
  const paths = backupPaths(folder);
  let stored = 0;
  for await (const line of readLines(paths.objectList)) {
    signal.throwIfAborted();
    const object = backupObjectSchema.parse(JSON.parse(line));
    const path = paths.object(object.key);
    // Before it is stored, because the storage may still hold the good one.
    await assertUndamaged(path, object.sha256);
    await storage.putFile(object.key, path);
    onStored(++stored);
  }
}

/** Throws CliError `no_input` unless the file of a backup is there and has the hash. */
export async function assertUndamaged(path: string, sha256: string): Promise<void> {
  const found = await hashFile(path).catch(() => null);
  if (found === sha256) return;
  const problem = found === null ? "cannot be read" : "is not what was saved";
  throw new CliError("no_input", `The backup is damaged: ${path} ${problem}. The database was not changed.`, {
    hint: "Restore another backup.",
  });
}
