// The model files that were fetched, each beside a note of where it came from.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FAMILIES, type ModelFamily } from "../../../shared/models.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { isImx } from "../../terminal/read-input.ts";

const noteSchema = z.object({
  code: z.string(),
  family: z.enum(FAMILIES),
  /** Of the file, hex. */
  sha256: z.string(),
  /** Which file of the service it is: its path, without what signs it. */
  origin: z.string(),
});

export type ModelNote = z.infer<typeof noteSchema>;

export interface StoredModel extends ModelNote {
  path: string;
}

/** Most bytes of a model file, as its reader takes it. */
const MAX_BYTES = 64 * 2 ** 20;
/** By which the format is known. */
const HEAD_BYTES = 4;

/** The files of one avatar of one service. */
export class ModelStore {
  readonly #folder: string;

  /** `cache`: the folder of `cacheFolder`; `baseUrl`: of the service. */
  constructor(cache: string, baseUrl: string, code: string) {
    const { host, pathname } = new URL(baseUrl);
    const service = `${host}${pathname}`.replace(/\/+$/, "").replace(/[^A-Za-z0-9.-]/g, "_");
    // Codes in a list come from the service.
    this.#folder = join(cache, "models", service, code.replace(/[^A-Za-z0-9_-]/g, "_"));
  }

  /** The file of a family, or the one that was fetched last; null if there is none that is whole. */
  async find(family?: ModelFamily): Promise<StoredModel | null> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith(".json"));
    const dated = await Promise.all(
      names.map(async (name) => ({
        name,
        atMs: (await stat(join(this.#folder, name)).catch(() => null))?.mtimeMs ?? 0,
      })),
    );
    for (const { name } of dated.sort((one, other) => other.atMs - one.atMs)) {
      const note = await readNote(join(this.#folder, name));
      if (!note || (family !== undefined && note.family !== family)) continue;
      const path = this.#pathOf(note.family);
      if ((await sha256Of(path)) === note.sha256) return { ...note, path };
    }
    return null;
  }

  /** Whether a file of any family was fetched; none is read. */
  async hasAny(): Promise<boolean> {
    return (await readdir(this.#folder).catch(() => [])).some((name) => name.endsWith(".imx"));
  }

  /** Keeps a file, which appears whole or not at all, in place of the one of its family. `sha256`: what it must have,
   *  hex; null if it is not known. Throws CliError: unavailable for a file that is too large, cut short or another one,
   *  no_permission if the folder cannot be written; and the signal's reason. */
  async put(
    { code, family, origin }: Omit<ModelNote, "sha256">,
    file: { chunks: AsyncIterable<Uint8Array>; sha256: string | null; bytes: number | undefined },
    options: { signal: AbortSignal; onBytes?: (count: number) => void },
  ): Promise<StoredModel> {
    const path = this.#pathOf(family);
    const partial = `${path}.${randomUUID()}.partial`;
    try {
      await mkdir(this.#folder, { recursive: true });
      const sha256 = await writeChunks(partial, file, options);
      if (file.sha256 !== null && file.sha256 !== sha256) {
        throw new CliError("unavailable", `The file of ${code} arrived damaged: its SHA-256 is another one.`, {
          code: "DAMAGED",
          hint: "Run it again.",
        });
      }
      const note = { code, family, origin, sha256 };
      await writeFile(`${partial}.json`, JSON.stringify(note));
      options.signal.throwIfAborted();
      await rename(partial, path);
      await rename(`${partial}.json`, this.#noteOf(family));
      return { ...note, path };
    } catch (error) {
      throw toWriteError(this.#folder, error);
    } finally {
      // Where the folder could not be made, there is nothing to remove.
      await rm(partial, { force: true }).catch(() => undefined);
      await rm(`${partial}.json`, { force: true }).catch(() => undefined);
    }
  }

  #pathOf(family: ModelFamily): string {
    return join(this.#folder, `${family}.imx`);
  }

  #noteOf(family: ModelFamily): string {
    return join(this.#folder, `${family}.json`);
  }
}

/** Returns the SHA-256, hex. */
async function writeChunks(
  path: string,
  { chunks, bytes }: { chunks: AsyncIterable<Uint8Array>; bytes: number | undefined },
  { signal, onBytes }: { signal: AbortSignal; onBytes?: (count: number) => void },
): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "wx");
  try {
    let count = 0;
    let head = Buffer.alloc(0);
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      count += chunk.length;
      if (count > MAX_BYTES) {
        const most = MAX_BYTES / 2 ** 20;
        throw new CliError("unavailable", `The file is larger than a model file may be (${most} MiB).`, {
          code: "TOO_LARGE",
        });
      }
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
      hash.update(chunk);
      await file.write(chunk);
      onBytes?.(count);
    }
    if (bytes !== undefined && count !== bytes) {
      const message = `The file was cut short: ${count} of ${bytes} bytes arrived.`;
      throw new CliError("unavailable", message, { code: "DAMAGED", hint: "Run it again." });
    }
    if (!isImx(head)) {
      throw new CliError("unavailable", "What the service sent is no model file.", { code: "DAMAGED" });
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

/** Null for a file that is missing or holds something else. */
async function readNote(path: string): Promise<ModelNote | null> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return null;
  }
}

async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    return null;
  }
  return hash.digest("hex");
}

function toWriteError(folder: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || syscall === undefined) return error;
  return new CliError("no_permission", `${folder} cannot be written (${code}).`, {
    code: "CACHE_FOLDER",
    hint: "AVATAR_CACHE_DIR names another folder for what is fetched.",
    cause: error,
  });
}
