// Conversion to half precision, for graphs that store their tables in half the space.

/** Returns the IEEE 754 binary16 bits of each value, rounded to nearest (ties to even). Values that overflow become
 *  infinite. */
export function toFloat16Bits(values: ArrayLike<number>): Uint16Array {
  const bits = new Uint16Array(values.length);
  const scratch = new Float32Array(1);
  const scratchBits = new Uint32Array(scratch.buffer);
  for (let i = 0; i < values.length; i++) {
    scratch[0] = values[i];
    bits[i] = halveBits(scratchBits[0]);
  }
  return bits;
}

function halveBits(single: number): number {
  const sign = (single >>> 16) & 0x8000;
  const exponent = (single >>> 23) & 0xff;
  const mantissa = single & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (mantissa ? 0x200 : 0);
  const halfExponent = exponent - 127 + 15;
  if (halfExponent >= 0x1f) return sign | 0x7c00;
  if (halfExponent <= 0) {
    // Subnormal half: the mantissa with its hidden bit, shifted into units of 2^-24.
    if (halfExponent < -10) return sign;
    return sign | roundShift(mantissa | 0x800000, 14 - halfExponent);
  }
  // A carry out of the mantissa increments the exponent, up to infinity.
  return sign | ((halfExponent << 10) + roundShift(mantissa, 13));
}

/** value / 2^shift, rounded to nearest, ties to even. */
function roundShift(value: number, shift: number): number {
  const floor = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (floor & 1) === 1) ? floor + 1 : floor;
}
