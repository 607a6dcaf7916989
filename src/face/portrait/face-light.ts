// Whether there is light enough on a face.
import type { RgbImage } from "../../signal/image/raster.ts";
import { faceOval } from "./face-points.ts";

const SAMPLES_A_SIDE = 48;
const BRIGHT_SHARE = 0.95;

/** Brightness that a twentieth of a face exceeds, 0..255. Eyes, teeth and highlights are bright on every skin, so this
 *  tells light from complexion. `points`: x, y, z each, px. */
export function brightestOfFace(image: RgbImage, points: Float32Array): number {
  const { centre, widthPx, heightPx } = faceOval(points);
  const lumas: number[] = [];
  for (let row = 0; row < SAMPLES_A_SIDE; row++) {
    for (let column = 0; column < SAMPLES_A_SIDE; column++) {
      const [across, down] = [(column + 0.5) / SAMPLES_A_SIDE - 0.5, (row + 0.5) / SAMPLES_A_SIDE - 0.5];
      if (across * across + down * down > 0.25) continue;
      const x = Math.round(centre.x + across * widthPx);
      const y = Math.round(centre.y + down * heightPx);
      if (x < 0 || y < 0 || x >= image.widthPx || y >= image.heightPx) continue;
      const at = 3 * (y * image.widthPx + x);
      lumas.push(0.299 * image.data[at] + 0.587 * image.data[at + 1] + 0.114 * image.data[at + 2]);
    }
  }
  lumas.sort((first, second) => first - second);
  return lumas[Math.floor(BRIGHT_SHARE * (lumas.length - 1))] ?? 0;
}
