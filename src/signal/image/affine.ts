// Affine maps of the plane, and warping images by them.
import { createPlane, type Plane, type Raster } from "./raster.ts";
import { type Border, sampleBilinear } from "./sample-bilinear.ts";

/** x' = a x + b y + tx, y' = c x + d y + ty. */
export interface Affine {
  a: number;
  b: number;
  tx: number;
  c: number;
  d: number;
  ty: number;
}

/** The point (x, y) mapped. */
export function applyAffine(affine: Affine, x: number, y: number): [x: number, y: number] {
  return [affine.a * x + affine.b * y + affine.tx, affine.c * x + affine.d * y + affine.ty];
}

/** From a square crop of `cropPx` pixels to the image: the crop's centre (cropPx / 2, cropPx / 2) lands on (centreX,
 *  centreY), its side spans `sizePx`, its x axis points along `angleRad` (clockwise on screen, as y points down). */
export function squareCropToImage(crop: {
  centreX: number;
  centreY: number;
  sizePx: number;
  angleRad: number;
  cropPx: number;
}): Affine {
  const scale = crop.sizePx / crop.cropPx;
  const cos = Math.cos(crop.angleRad) * scale;
  const sin = Math.sin(crop.angleRad) * scale;
  const half = crop.cropPx / 2;
  return {
    a: cos,
    b: -sin,
    tx: crop.centreX - (cos - sin) * half,
    c: sin,
    d: cos,
    ty: crop.centreY - (sin + cos) * half,
  };
}

/** Warps an image: output pixel (x, y) is the image at `outputToImage` (x, y), bilinear, whole numbers being pixel
 *  centres. A pure scale therefore maps corner pixel to corner pixel without a half-pixel shift, as the face models
 *  were trained. */
export function warpAffine(
  image: Raster,
  outputToImage: Affine,
  size: { widthPx: number; heightPx: number },
  border: Border = "replicate",
): Plane {
  const warped = createPlane(size.widthPx, size.heightPx, image.channels);
  const { a, b, tx, c, d, ty } = outputToImage;
  let offset = 0;
  for (let y = 0; y < size.heightPx; y++) {
    for (let x = 0; x < size.widthPx; x++) {
      sampleBilinear(image, a * x + b * y + tx, c * x + d * y + ty, border, warped.data, offset);
      offset += image.channels;
    }
  }
  return warped;
}
