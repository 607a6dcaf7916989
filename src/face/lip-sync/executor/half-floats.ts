// Numbers of 16 bits (IEEE 754 binary16), which JavaScript has no array for. All finite.

/** The nearest halves of numbers, little-endian; larger ones than a half can hold become the largest. */
export function toHalves(values: Float32Array): Uint8Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(bits.length);
  // A loop: `from` takes ten times as long for the two million weights of a network.
  for (let k = 0; k < bits.length; k++) halves[k] = toHalf(bits[k]);
  return new Uint8Array(halves.buffer);
}

/** The numbers of halves, little-endian. */
export function fromHalves(halves: Uint8Array): Float32Array {
  return Float32Array.from(new Uint16Array(new Uint8Array(halves).buffer), fromHalf);
}

/** Bits of a float32 below which a half has the steps of its smallest numbers: 2^-14. */
const LEAST_NORMAL = 0x38800000;
/** Bits from which a float32 would round to infinity. */
const TOO_LARGE = 0x477ff000;
const LARGEST_HALF = 0x7bff;
/** A float32 has 13 more bits of fraction, and exponents that are 112 higher. */
const FRACTION_BITS = 13;
const EXPONENT_DIFFERENCE = 112 << 10;

function toHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= TOO_LARGE) return sign | LARGEST_HALF;
  if (magnitude < LEAST_NORMAL) return sign | roundedSteps(magnitude);
  // To even if in the middle. A carry into the exponent comes out right by itself.
  const rounded = magnitude + 0xfff + ((magnitude >>> FRACTION_BITS) & 1);
  return sign | ((rounded >>> FRACTION_BITS) - EXPONENT_DIFFERENCE);
}

/** A small number counted in steps of 2^-24. */
function roundedSteps(magnitude: number): number {
  const exponent = magnitude >>> 23;
  return Math.round(((magnitude & 0x7fffff) + 0x800000) * 2 ** (exponent - 150 + 24));
}

function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
