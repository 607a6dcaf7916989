// Filling masked pixels from their surroundings.
import { createPlane, type Plane, toPlane } from "./raster.ts";

/** Smoothing passes a level; the levels below have already carried colour across large holes. */
const SWEEPS = 24;

/** A copy with every masked pixel replaced by a smooth membrane through the pixels around it (Laplace's equation), so
 *  that a soft edge never shows what was masked. `mask`: one channel, above 0.5 means masked. If everything is masked
 *  the copy is unchanged. Solved from coarse to fine: each level starts from the one of half the size. Throws
 *  RangeError if sizes differ. */
export function inpaint(plane: Plane, mask: Plane): Plane {
  if (plane.widthPx !== mask.widthPx || plane.heightPx !== mask.heightPx)
    throw new RangeError("the mask differs in size");
  const holes = Uint8Array.from(mask.data, (value) => (value > 0.5 ? 1 : 0));
  const filled = toPlane(plane);
  if (!holes.includes(0)) return filled;
  fillLevel(filled, holes);
  return filled;
}

function fillLevel(plane: Plane, holes: Uint8Array): void {
  if (!holes.includes(1)) return;
  const { widthPx, heightPx, channels } = plane;
  const half = halve(plane, holes);
  fillLevel(half.plane, half.holes);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      if (!holes[y * widthPx + x]) continue;
      const from = ((y >> 1) * half.plane.widthPx + (x >> 1)) * channels;
      const to = (y * widthPx + x) * channels;
      for (let channel = 0; channel < channels; channel++) plane.data[to + channel] = half.plane.data[from + channel];
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) smoothHoles(plane, holes);
}

/** A plane of half the size from the known pixels only; where a block has none the hole stays. */
function halve(plane: Plane, holes: Uint8Array): { plane: Plane; holes: Uint8Array } {
  const { channels } = plane;
  const half = createPlane((plane.widthPx + 1) >> 1, (plane.heightPx + 1) >> 1, channels);
  const counts = new Uint8Array(half.widthPx * half.heightPx);
  for (let y = 0; y < plane.heightPx; y++) {
    for (let x = 0; x < plane.widthPx; x++) {
      const from = y * plane.widthPx + x;
      if (holes[from]) continue;
      const to = (y >> 1) * half.widthPx + (x >> 1);
      counts[to]++;
      for (let channel = 0; channel < channels; channel++) {
        half.data[to * channels + channel] += plane.data[from * channels + channel];
      }
    }
  }
  for (let pixel = 0; pixel < counts.length; pixel++) {
    for (let channel = 0; channel < channels; channel++) half.data[pixel * channels + channel] /= counts[pixel] || 1;
  }
  return { plane: half, holes: counts.map((count) => (count === 0 ? 1 : 0)) };
}

/** One Gauss–Seidel sweep: each hole becomes the mean of its neighbours inside the image. */
function smoothHoles(plane: Plane, holes: Uint8Array): void {
  const { widthPx, heightPx, channels, data } = plane;
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const pixel = y * widthPx + x;
      if (!holes[pixel]) continue;
      const neighbours: number[] = [];
      if (x > 0) neighbours.push(pixel - 1);
      if (x + 1 < widthPx) neighbours.push(pixel + 1);
      if (y > 0) neighbours.push(pixel - widthPx);
      if (y + 1 < heightPx) neighbours.push(pixel + widthPx);
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        for (const neighbour of neighbours) sum += data[neighbour * channels + channel];
        data[pixel * channels + channel] = sum / neighbours.length;
      }
    }
  }
}
