// Unpacks compressed data of a known size, in Node and in browsers.

/** Never holds more than `expectedBytes`, whatever the data would unpack to. Rejects with Error if the data is damaged,
 *  or unpacks to another size. */
export async function inflateExactly(
  parts: Uint8Array<ArrayBuffer>[],
  expectedBytes: number,
  format: "deflate" | "deflate-raw",
): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = new Uint8Array(expectedBytes);
  let filled = 0;
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream(format)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > expectedBytes) throw new Error("it unpacks to more bytes than its size allows");
      unpacked.set(value, filled);
      filled += value.length;
    }
  } catch (cause) {
    await reader.cancel().catch(() => undefined); // Already failed; the first reason is the one to report.
    throw cause;
  }
  if (filled !== expectedBytes) throw new Error("it is cut off");
  return unpacked;
}
