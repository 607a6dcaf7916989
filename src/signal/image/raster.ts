// Images in memory: interleaved pixels, row by row from the top left.

/** Any image that sampling functions can read: value of channel c at (x, y) is `data[(y * widthPx + x) * channels +
 *  c]`. */
export interface Raster {
  readonly data: Uint8Array | Uint8ClampedArray | Float32Array;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly channels: number;
}

/** An sRGB image of 8 bits a channel. */
export interface RgbImage extends Raster {
  readonly data: Uint8Array;
  readonly channels: 3;
}

/** An image of one channel of 8 bits. */
export interface GreyImage extends Raster {
  readonly data: Uint8Array;
  readonly channels: 1;
}

/** An image of float32 values in any range, with any number of channels. */
export interface Plane extends Raster {
  readonly data: Float32Array;
}

/** A rectangle of whole pixels; `x` and `y` are its top left corner. */
export interface PixelBox {
  x: number;
  y: number;
  widthPx: number;
  heightPx: number;
}

/** An RGB image over `data` (not copied), or black. Throws RangeError if the length does not fit. */
export function createRgbImage(widthPx: number, heightPx: number, data?: Uint8Array): RgbImage {
  const pixels = data ?? new Uint8Array(widthPx * heightPx * 3);
  assertLength(pixels.length, widthPx * heightPx * 3);
  return { data: pixels, widthPx, heightPx, channels: 3 };
}

/** A plane over `data` (not copied), or zeros. Throws RangeError if the length does not fit. */
export function createPlane(widthPx: number, heightPx: number, channels = 1, data?: Float32Array): Plane {
  const values = data ?? new Float32Array(widthPx * heightPx * channels);
  assertLength(values.length, widthPx * heightPx * channels);
  return { data: values, widthPx, heightPx, channels };
}

/** A float32 copy of an image, values unchanged. */
export function toPlane(raster: Raster): Plane {
  return createPlane(raster.widthPx, raster.heightPx, raster.channels, Float32Array.from(raster.data));
}

/** A three-channel plane of values 0..255 as an image: rounded and clamped. Throws RangeError for other channel counts.
 *  */
export function toRgbImage(plane: Raster): RgbImage {
  if (plane.channels !== 3) throw new RangeError(`an RGB image needs 3 channels, got ${plane.channels}`);
  return createRgbImage(plane.widthPx, plane.heightPx, Uint8Array.from(Uint8ClampedArray.from(plane.data)));
}

/** The part of an image inside `box`, copied. Throws RangeError if the box leaves the image. */
export function cropRgbImage(image: RgbImage, box: PixelBox): RgbImage {
  return createRgbImage(
    box.widthPx,
    box.heightPx,
    cropValues(image, box, (length) => new Uint8Array(length)),
  );
}

/** The same for a plane. */
export function cropPlane(plane: Plane, box: PixelBox): Plane {
  const values = cropValues(plane, box, (length) => new Float32Array(length));
  return createPlane(box.widthPx, box.heightPx, plane.channels, values);
}

/** Copies an image into a larger one, its top left corner at `at`. Throws RangeError if it leaves the larger one. */
export function pasteRgbImage(target: RgbImage, image: RgbImage, { x, y }: { x: number; y: number }): void {
  const isInside = x >= 0 && y >= 0 && x + image.widthPx <= target.widthPx && y + image.heightPx <= target.heightPx;
  if (!isInside) throw new RangeError("the image does not fit");
  const rowValues = 3 * image.widthPx;
  for (let row = 0; row < image.heightPx; row++) {
    const from = row * rowValues;
    target.data.set(image.data.subarray(from, from + rowValues), 3 * ((y + row) * target.widthPx + x));
  }
}

function cropValues<Values extends Uint8Array | Float32Array>(
  { data, widthPx, heightPx, channels }: Raster,
  box: PixelBox,
  create: (length: number) => Values,
): Values {
  const isInside = box.x >= 0 && box.y >= 0 && box.x + box.widthPx <= widthPx && box.y + box.heightPx <= heightPx;
  if (!isInside) throw new RangeError("the box leaves the image");
  const rowValues = box.widthPx * channels;
  const cropped = create(box.heightPx * rowValues);
  for (let row = 0; row < box.heightPx; row++) {
    const start = ((box.y + row) * widthPx + box.x) * channels;
    cropped.set(data.subarray(start, start + rowValues), row * rowValues);
  }
  return cropped;
}

function assertLength(actual: number, expected: number): void {
  if (actual !== expected) throw new RangeError(`an image of this size has ${expected} values, got ${actual}`);
}
