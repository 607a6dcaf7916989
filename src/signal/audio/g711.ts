// The telephone's codecs, µ-law and A-law: a byte for each sample of 8 kHz. Source: ITU-T G.711.

export type G711Law = "ulaw" | "alaw";

/** Rate of the telephone. */
export const G711_SAMPLE_RATE_HZ = 8_000;

const ULAW_BIAS = 0x84;
const ULAW_CLIP = 32_635;

const decoded: Readonly<Record<G711Law, Int16Array>> = {
  ulaw: Int16Array.from({ length: 256 }, (_, code) => decodeUlaw(code)),
  alaw: Int16Array.from({ length: 256 }, (_, code) => decodeAlaw(code)),
};

/** A sample for each byte, int16. */
export function decodeG711(bytes: Uint8Array, law: G711Law): Int16Array {
  const table = decoded[law];
  return Int16Array.from(bytes, (code) => table[code]);
}

/** A byte for each int16 sample. */
export function encodeG711(samples: Int16Array, law: G711Law): Uint8Array {
  const encode = law === "ulaw" ? encodeUlaw : encodeAlaw;
  return Uint8Array.from(samples, (sample) => encode(sample));
}

function decodeUlaw(code: number): number {
  const bits = ~code & 0xff;
  const segment = (bits >> 4) & 7;
  const size = (((bits & 0xf) << 3) + ULAW_BIAS) << segment;
  return bits & 0x80 ? ULAW_BIAS - size : size - ULAW_BIAS;
}

function encodeUlaw(sample: number): number {
  const size = Math.min(ULAW_CLIP, Math.abs(sample)) + ULAW_BIAS;
  const segment = 24 - Math.clz32(size);
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((size >> (segment + 3)) & 0xf)) & 0xff;
}

function decodeAlaw(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 7;
  const step = ((bits & 0xf) << 4) + 8;
  const size = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? size : -size;
}

function encodeAlaw(sample: number): number {
  const size = Math.min(32_767, sample < 0 ? -sample - 1 : sample);
  const segment = Math.max(0, 24 - Math.clz32(size));
  const mantissa = segment === 0 ? size >> 4 : size >> (segment + 3);
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | (mantissa & 0xf)) ^ 0x55;
}
