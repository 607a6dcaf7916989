// Files of programs in Node: by path, address or as bytes.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { EngineError } from "../../../shared/engine-error.ts";

/** Most bytes of a file that is read at once: an `.imx` has 64 MiB at most, a recording in a compressed format that
 *  comes from an address a day. */
const MAX_BYTES = 2 ** 29;

/** The path, or an address that is fetched. */
export function placeOf(place: string | URL): { path: string } | { address: string } {
  const text = String(place);
  if (/^(https?|data|blob):/i.test(text)) return { address: text };
  return { path: /^file:/i.test(text) ? fileURLToPath(text) : text };
}

/** All bytes. Throws EngineError: file-not-found, upstream-unavailable, too-large; and the signal's reason. */
export async function readBytes(
  source: string | URL | Uint8Array | ArrayBuffer | Blob,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new Uint8Array(source);
  if (typeof source !== "string" && !(source instanceof URL)) {
    throw new EngineError("invalid-input", "Give a path, an address or the bytes of a file.");
  }
  const place = placeOf(source);
  if ("address" in place) return joined(readAddress(place.address, signal));
  try {
    return new Uint8Array(await readFile(place.path, { signal }));
  } catch (cause) {
    signal?.throwIfAborted();
    throw notFound(place.path, cause);
  }
}

/** The bytes of a file at a path as they are needed. Throws EngineError(file-not-found). */
export async function* readPath(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path);
  try {
    yield* stream;
  } catch (cause) {
    throw notFound(path, cause);
  } finally {
    stream.destroy();
  }
}

/** The bytes at an address as they arrive. Throws EngineError(upstream-unavailable). */
export async function* readAddress(address: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(address, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EngineError("upstream-unavailable", `${shortened(address)} cannot be reached.`, { cause });
  }
  if (!response.ok || !response.body) {
    throw new EngineError("upstream-unavailable", `${shortened(address)} answered ${response.status}.`);
  }
  yield* response.body as unknown as AsyncIterable<Uint8Array>;
}

export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new EngineError("too-large", `The file is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function notFound(path: string, cause: unknown): EngineError {
  return new EngineError("file-not-found", `${path} cannot be opened.`, { cause });
}

/** Without what follows the path, which may be secret. */
function shortened(address: string): string {
  return address.replace(/[?#].*$/s, "").slice(0, 200);
}
