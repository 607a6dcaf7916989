// The colour that becomes transparent, on a plane of its own: how blue and how red it is beside its brightness. Shadows
// and lights on a ground of one colour lie near each other there.

/** Each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** BT.709, each −0.5 to 0.5. */
export type Chroma = readonly [blue: number, red: number];

/** Grounds with less colour are grey, white or black, as are eyes, teeth and hair: 0 to about 0.6. */
const LEAST_COLOUR = 0.1;
/** Pixels of a ground lie this close to its colour. */
const GROUND_SPREAD = 0.1;
/** Share of the border that the ground has at least; hair and hands may reach it. */
const GROUND_SHARE = 0.6;

export function chromaOf([red, green, blue]: Rgb): Chroma {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return [(blue - luma) / 1.8556 / 255, (red - luma) / 1.5748 / 255];
}

/** How colourful it is: 0 is grey, about 0.5 a pure colour. */
export function strengthOf([blue, red]: Chroma): number {
  return Math.hypot(blue, red);
}

/** What distances of chroma are multiplied with, so that grey is 0.5 away from the key colour, however pale that is,
 *  and the opposite colour 1. */
export function distanceScale(key: Chroma): number {
  return 0.5 / Math.max(strengthOf(key), LEAST_COLOUR);
}

/** The colour of the ground: that of the picture's upper corners and the border between and below them, down to the
 *  middle. Undefined if that is not one colour, or grey. `pixels`: RGBA, row by row. */
export function sampleGround(pixels: Uint8ClampedArray, widthPx: number, heightPx: number): Rgb | undefined {
  const border: Rgb[] = [];
  for (let y = 0; y < heightPx / 2; y++) {
    for (let x = 0; x < widthPx; x++) {
      if (y > 0 && x > 0 && x < widthPx - 1) continue;
      const index = 4 * (y * widthPx + x);
      border.push([pixels[index], pixels[index + 1], pixels[index + 2]]);
    }
  }
  if (border.length === 0) return undefined;
  const ground: Rgb = [median(border, 0), median(border, 1), median(border, 2)];
  const chroma = chromaOf(ground);
  if (strengthOf(chroma) < LEAST_COLOUR) return undefined;
  const near = border.filter((colour) => distance(chromaOf(colour), chroma) < GROUND_SPREAD);
  return near.length >= GROUND_SHARE * border.length ? ground : undefined;
}

/** Reads #rrggbb; undefined for anything else. */
export function readColour(text: string): Rgb | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return undefined;
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function distance(one: Chroma, other: Chroma): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

function median(colours: readonly Rgb[], channel: 0 | 1 | 2): number {
  const values = colours.map((colour) => colour[channel]).sort((one, other) => one - other);
  return values[values.length >> 1];
}
