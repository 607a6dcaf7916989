/** Samples of a file of int16, little-endian, as this machine has them in memory: a copy. */
export function readSamples(bytes: Buffer): Int16Array<ArrayBuffer> {
  const own = new Uint8Array(bytes);
  return new Int16Array(own.buffer, 0, Math.floor(own.length / 2));
}
