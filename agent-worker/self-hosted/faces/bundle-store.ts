// Model files on this machine's disk, by the hash of their content: an avatar is fetched once, whichever launches need
// it, and every copy is checked before it is used.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../program/log.ts";
import { ServiceError } from "../../../shared/errors.ts";

/** About 500 avatars. */
const DEFAULT_LIMIT_BYTES = 1024 * 1024 * 1024;
const SUFFIX = ".imx";

export interface BundleStoreOptions {
  folder: string;
  logger: Logger;
  /** Most bytes on disk; the least recently used files give way. Default 1 GiB. */
  limitBytes?: number;
}

export class BundleStore {
  readonly #options: BundleStoreOptions;
  readonly #fetching = new Map<string, Promise<Uint8Array>>();
  #hasWarned = false;

  constructor(options: BundleStoreOptions) {
    this.#options = options;
  }

  /** The file with this SHA-256 (hex), from the disk or by `download`; launches that need it at the same time share one
   *  download. Throws UPSTREAM_UNAVAILABLE for a download with another hash, of which nothing is kept, and what
   *  `download` throws. A disk that is full or read-only is logged once; the file is used all the same. */
  async get(sha256: string, download: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const fetching = this.#fetching.get(sha256);
    if (fetching) return fetching;
    const started = this.#find(sha256).then((kept) => kept ?? this.#fetch(sha256, download));
    this.#fetching.set(sha256, started);
    try {
      return await started;
    } finally {
      this.#fetching.delete(sha256);
    }
  }

  /** A file that was made here under this key, or is made now by `make`. The key is hashed; the content is not
   *  known before. */
  async remember(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const name = `made-${createHash("sha256").update(key).digest("hex")}`;
    const fetching = this.#fetching.get(name);
    if (fetching) return fetching;
    const started = this.#readFile(name).then(async (kept) => {
      if (kept) return kept;
      const made = await make();
      await this.#keep(name, made);
      return made;
    });
    this.#fetching.set(name, started);
    try {
      return await started;
    } finally {
      this.#fetching.delete(name);
    }
  }

  async #find(sha256: string): Promise<Uint8Array | null> {
    const bytes = await this.#readFile(sha256);
    if (bytes === null || hashOf(bytes) === sha256) return bytes;
    this.#options.logger.warn({ sha256 }, "damaged bundle removed from the cache");
    await rm(this.#pathOf(sha256), { force: true }).catch(() => undefined);
    return null;
  }

  async #readFile(name: string): Promise<Uint8Array | null> {
    try {
      const bytes = await readFile(this.#pathOf(name));
      // The time of its last use, by which files give way. On a read-only disk none do.
      await utimes(this.#pathOf(name), new Date(), new Date()).catch(() => undefined);
      return bytes;
    } catch {
      return null;
    }
  }

  async #fetch(sha256: string, download: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = await download();
    if (hashOf(bytes) !== sha256) {
      this.#options.logger.error({ sha256 }, "bundle refused: wrong hash");
      throw new ServiceError(
        "UPSTREAM_UNAVAILABLE",
        "The avatar's model file does not have the hash that the service names. Nothing of it was kept; try again.",
      );
    }
    await this.#keep(sha256, bytes);
    return bytes;
  }

  /** Never throws. */
  async #keep(name: string, bytes: Uint8Array): Promise<void> {
    const { folder, logger } = this.#options;
    // A process that dies leaves one draft of a file at most; every file is checked when it is read.
    const draft = `${this.#pathOf(name)}.part`;
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, this.#pathOf(name));
      await this.#giveWay(name);
      this.#hasWarned = false;
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      if (!this.#hasWarned) logger.warn({ err: error, folder }, "bundle not kept on disk, used from memory");
      this.#hasWarned = true;
    }
  }

  async #giveWay(newest: string): Promise<void> {
    const { folder, limitBytes = DEFAULT_LIMIT_BYTES } = this.#options;
    const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
    const files = await Promise.all(names.map(async (name) => ({ name, ...(await sizeAndTime(join(folder, name))) })));
    files.sort((one, other) => one.usedMs - other.usedMs);
    let sumBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { name, sizeBytes } of files) {
      if (sumBytes <= limitBytes || name === newest + SUFFIX) return;
      await rm(join(folder, name), { force: true });
      sumBytes -= sizeBytes;
    }
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name + SUFFIX);
  }
}

/** SHA-256, hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Zeros for a file that is gone. */
async function sizeAndTime(path: string): Promise<{ sizeBytes: number; usedMs: number }> {
  return stat(path).then(
    ({ size, mtimeMs }) => ({ sizeBytes: size, usedMs: mtimeMs }),
    () => ({ sizeBytes: 0, usedMs: 0 }),
  );
}
