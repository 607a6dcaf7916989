// Colours as three values.

/** 0..255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Perceived brightness 0..255. Source: ITU-R BT.601. */
export function luma([red, green, blue]: Rgb): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** A colour with each channel multiplied. */
export function scale(colour: Rgb, factors: Rgb): Rgb {
  return [colour[0] * factors[0], colour[1] * factors[1], colour[2] * factors[2]];
}
