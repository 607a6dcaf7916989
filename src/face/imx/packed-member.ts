// Members that a file stores compressed (gzip), in Node and in a browser: displacement fields are mostly zeros, so a
// rig shrinks to a quarter.
import { imxError } from "./member-table.ts";

/** What follows the name of a compressed member. */
export const PACKED = ".gz";

/** The bytes compressed. */
export async function packMember(bytes: Uint8Array): Promise<Uint8Array> {
  return readAll(new CompressionStream("gzip"), bytes, Number.POSITIVE_INFINITY);
}

/** The bytes of a compressed member. The file is untrusted: throws EngineError(bundle-invalid) for more than
 *  `mostBytes`, which are never made, and for what is no gzip. */
export async function unpackMember(name: string, bytes: Uint8Array, mostBytes: number): Promise<Uint8Array> {
  try {
    return await readAll(new DecompressionStream("gzip"), bytes, mostBytes);
  } catch (error) {
    if (error instanceof TooLong) throw imxError(`member ${name} unpacks to more than ${mostBytes} bytes`);
    throw imxError(`member ${name} cannot be unpacked`, error);
  }
}

class TooLong extends Error {}

async function readAll(
  stream: ReadableWritablePair<Uint8Array, BufferSource>,
  bytes: Uint8Array,
  mostBytes: number,
): Promise<Uint8Array> {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream() as ReadableStream<BufferSource>;
  const reader = source.pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostBytes) {
      await reader.cancel();
      throw new TooLong();
    }
    parts.push(value);
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
