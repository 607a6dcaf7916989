// Turning images by quarters, and straightening them.
import { warpAffine } from "./affine.ts";
import { createRgbImage, type RgbImage, toRgbImage } from "./raster.ts";

/** The image turned clockwise by a number of quarters, 0 to 3; the image itself for 0. */
export function turnImage(image: RgbImage, quarters: number): RgbImage {
  if (quarters === 0) return image;
  const { data, widthPx, heightPx } = image;
  const isUpright = quarters === 2;
  const turned = createRgbImage(isUpright ? widthPx : heightPx, isUpright ? heightPx : widthPx);
  for (let y = 0; y < turned.heightPx; y++) {
    for (let x = 0; x < turned.widthPx; x++) {
      const [fromX, fromY] = isUpright
        ? [widthPx - 1 - x, heightPx - 1 - y]
        : quarters === 1
          ? [y, heightPx - 1 - x]
          : [widthPx - 1 - y, x];
      const from = 3 * (fromY * widthPx + fromX);
      const to = 3 * (y * turned.widthPx + x);
      turned.data[to] = data[from];
      turned.data[to + 1] = data[from + 1];
      turned.data[to + 2] = data[from + 2];
    }
  }
  return turned;
}

/** The image turned counter-clockwise around its middle, in its proportions: the largest part of which
 *  every pixel lies in the image. */
export function straightenImage(image: RgbImage, angleDeg: number): RgbImage {
  if (angleDeg === 0) return image;
  const angle = (angleDeg * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const { widthPx, heightPx } = image;
  const [reachX, reachY] = [
    widthPx * Math.abs(cos) + heightPx * Math.abs(sin),
    widthPx * Math.abs(sin) + heightPx * Math.abs(cos),
  ];
  const share = Math.min(widthPx / reachX, heightPx / reachY);
  const size = {
    widthPx: Math.max(1, Math.floor(share * widthPx)),
    heightPx: Math.max(1, Math.floor(share * heightPx)),
  };
  const [middleX, middleY] = [(widthPx - 1) / 2, (heightPx - 1) / 2];
  const [ownX, ownY] = [(size.widthPx - 1) / 2, (size.heightPx - 1) / 2];
  const toImage = {
    a: cos,
    b: -sin,
    tx: middleX - cos * ownX + sin * ownY,
    c: sin,
    d: cos,
    ty: middleY - sin * ownX - cos * ownY,
  };
  return toRgbImage(warpAffine(image, toImage, size));
}
