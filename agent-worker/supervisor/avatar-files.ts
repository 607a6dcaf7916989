// The worker's `.imx` files in memory, so that a launch does not wait for the download of an avatar that was shown
// before. The least recently used files give way.
import { createHash } from "node:crypto";
import type { AvatarFile } from "../session/session-messages.ts";

/** About 40 avatars. */
const DEFAULT_LIMIT_BYTES = 64 * 1024 * 1024;

export interface AvatarFilesOptions {
  /** Most bytes kept; a larger file is passed on and not kept. Default 64 MiB. */
  limitBytes?: number;
}

/** Files by the SHA-256 of their content, as hex. */
export class AvatarFiles {
  readonly #limitBytes: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, Uint8Array>();
  readonly #downloads = new Map<string, Promise<Uint8Array>>();
  #keptBytes = 0;

  constructor({ limitBytes = DEFAULT_LIMIT_BYTES }: AvatarFilesOptions = {}) {
    this.#limitBytes = limitBytes;
  }

  /** The file, from memory or by `download`. Callers that want the same file at the same time share one download; it
   *  rejects for all of them. A file with another hash is returned, because it may be newer, and not kept. */
  async get(sha256: string, download: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const kept = this.#kept.get(sha256);
    if (kept) {
      this.#kept.delete(sha256);
      this.#kept.set(sha256, kept);
      return kept;
    }
    return this.#downloads.get(sha256) ?? this.#download(sha256, download);
  }

  /** The file that was used last, if it is kept. */
  get latest(): AvatarFile | null {
    const [latest] = [...this.#kept].slice(-1);
    return latest ? { sha256: latest[0], imx: latest[1] } : null;
  }

  async #download(sha256: string, download: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const downloading = download();
    this.#downloads.set(sha256, downloading);
    try {
      const bytes = await downloading;
      if (createHash("sha256").update(bytes).digest("hex") === sha256) this.#keep(sha256, bytes);
      return bytes;
    } finally {
      this.#downloads.delete(sha256);
    }
  }

  #keep(sha256: string, bytes: Uint8Array): void {
    if (bytes.length > this.#limitBytes) return;
    this.#kept.set(sha256, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= this.#limitBytes) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}
