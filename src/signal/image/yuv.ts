// sRGB to the YUV that encoders take, and back: BT.601, limited range (Y 16–235, U and V 16–240).

/** Luma and chroma of one colour (each 0..255), unrounded. Source: ITU-R BT.601. */
export function rgbToYuv(red: number, green: number, blue: number): [y: number, u: number, v: number] {
  return [
    16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255,
    128 + (-37.797 * red - 74.203 * green + 112 * blue) / 255,
    128 + (112 * red - 93.786 * green - 18.214 * blue) / 255,
  ];
}

/** The colour of a limited-range sample, unrounded; may leave 0..255 for combinations that no colour has. Source: ITU-R
 *  BT.601. */
export function yuvToRgb(y: number, u: number, v: number): [red: number, green: number, blue: number] {
  const luma = (255 / 219) * (y - 16);
  const blueDifference = (255 / 224) * (u - 128);
  const redDifference = (255 / 224) * (v - 128);
  return [
    luma + 1.402 * redDifference,
    luma - 0.344136 * blueDifference - 0.714136 * redDifference,
    luma + 1.772 * blueDifference,
  ];
}
