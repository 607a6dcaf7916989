// A tiny font for captions in images, so that labels need no text renderer.
import type { RgbImage } from "../../signal/image/raster.ts";

export const GLYPH_WIDTH = 4;
export const GLYPH_HEIGHT = 5;

/** Five rows of three pixels each, from the top; bit 4 is the left one. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  A: [2, 5, 7, 5, 5],
  B: [6, 5, 6, 5, 6],
  C: [3, 4, 4, 4, 3],
  D: [6, 5, 5, 5, 6],
  E: [7, 4, 6, 4, 7],
  F: [7, 4, 6, 4, 4],
  G: [3, 4, 5, 5, 3],
  H: [5, 5, 7, 5, 5],
  I: [7, 2, 2, 2, 7],
  J: [1, 1, 1, 5, 2],
  K: [5, 5, 6, 5, 5],
  L: [4, 4, 4, 4, 7],
  M: [5, 7, 7, 5, 5],
  N: [6, 5, 5, 5, 5],
  O: [2, 5, 5, 5, 2],
  P: [6, 5, 6, 4, 4],
  Q: [2, 5, 5, 6, 3],
  R: [6, 5, 6, 5, 5],
  S: [3, 4, 2, 1, 6],
  T: [7, 2, 2, 2, 2],
  U: [5, 5, 5, 5, 7],
  V: [5, 5, 5, 5, 2],
  W: [5, 5, 7, 7, 5],
  X: [5, 5, 2, 5, 5],
  Y: [5, 5, 2, 2, 2],
  Z: [7, 1, 2, 4, 7],
  "0": [7, 5, 5, 5, 7],
  "1": [2, 6, 2, 2, 7],
  "2": [6, 1, 2, 4, 7],
  "3": [6, 1, 2, 1, 6],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 6, 1, 6],
  "6": [3, 4, 7, 5, 7],
  "7": [7, 1, 2, 2, 2],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 6],
  ".": [0, 0, 0, 0, 2],
  ",": [0, 0, 0, 2, 4],
  "-": [0, 0, 7, 0, 0],
  "+": [0, 2, 7, 2, 0],
};

/** Writes text with its top left corner at (x, y), each font pixel as a square of `scale` pixels. Letters become
 *  capitals, characters that the font lacks become gaps, and what leaves the image is cut off. */
export function drawText(
  image: RgbImage,
  text: string,
  place: { x: number; y: number; scale: number },
  colour: readonly [red: number, green: number, blue: number],
): void {
  [...text.toUpperCase()].forEach((character, index) => {
    const rows = GLYPHS[character] ?? [];
    rows.forEach((bits, row) => {
      for (let column = 0; column < 3; column++) {
        if (!(bits & (4 >> column))) continue;
        const left = place.x + (index * GLYPH_WIDTH + column) * place.scale;
        fillSquare(image, left, place.y + row * place.scale, place.scale, colour);
      }
    });
  });
}

function fillSquare(image: RgbImage, left: number, top: number, size: number, colour: readonly number[]): void {
  for (let y = Math.max(0, top); y < Math.min(image.heightPx, top + size); y++) {
    for (let x = Math.max(0, left); x < Math.min(image.widthPx, left + size); x++) {
      image.data.set(colour, 3 * (y * image.widthPx + x));
    }
  }
}
