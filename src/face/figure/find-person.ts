// Where the person is on a canvas.
import { createPlane, type PixelBox, type Plane, type RgbImage } from "../../signal/image/raster.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { type FacePoints, pointAt } from "../portrait/face-points.ts";
import type { PersonSegmenter } from "../portrait/person-segmenter.ts";

/** Points far apart in both directions, by which image and canvas are laid over each other: forehead and chin,
 *  cheeks. */
const TOP = 10;
const BOTTOM = 152;
const LEFT = 234;
const RIGHT = 454;
/** Probabilities below and above these mean "not at all" and "surely". */
const DOUBT = 0.3;
const SURE = 0.8;

/** Probability that a pixel of a framed portrait shows a person, 0..1, one channel of its canvas. The network looks
 *  twice: at the whole portrait, where it sees what shoulders belong to (`source.person`), and at the canvas, where its
 *  pixels are finer. Outside the photo there is no person. `points`: the same face points in either. */
export async function findPerson(
  source: { person: Plane; points: FacePoints },
  framed: { canvas: RgbImage; photo: PixelBox; points: FacePoints },
  segmenter: PersonSegmenter,
): Promise<Plane> {
  const inCanvas = await segmenter.segment(framed.canvas);
  const across = axisMap(source.points, framed.points, [LEFT, RIGHT], "x");
  const down = axisMap(source.points, framed.points, [TOP, BOTTOM], "y");
  return within(framed.photo, surer(inCanvas, source.person, across, down));
}

/** The plane with zeros outside a box. */
function within({ x, y, widthPx, heightPx }: PixelBox, plane: Plane): Plane {
  return createPlane(
    plane.widthPx,
    plane.heightPx,
    1,
    plane.data.map((value, at) => {
      const column = (at % plane.widthPx) - x;
      const row = Math.floor(at / plane.widthPx) - y;
      return column >= 0 && column < widthPx && row >= 0 && row < heightPx ? value : 0;
    }),
  );
}

/** The line that leads from a canvas's pixels to a portrait's on one axis: position × scale + shift. */
interface AxisMap {
  scale: number;
  shift: number;
}

function axisMap(
  portrait: FacePoints,
  canvas: FacePoints,
  [first, second]: readonly [number, number],
  axis: "x" | "y",
): AxisMap {
  const span = (points: FacePoints) => pointAt(points, second)[axis] - pointAt(points, first)[axis];
  const scale = span(portrait) / span(canvas);
  return { scale, shift: pointAt(portrait, first)[axis] - scale * pointAt(canvas, first)[axis] };
}

/** The surer of the two views at each pixel of the canvas; beyond the portrait's edge there is one only. */
function surer(inCanvas: Plane, inPortrait: Plane, across: AxisMap, down: AxisMap): Plane {
  const { widthPx, heightPx } = inCanvas;
  const person = createPlane(widthPx, heightPx);
  for (let y = 0; y < heightPx; y++) {
    const row = Math.round(y * down.scale + down.shift);
    for (let x = 0; x < widthPx; x++) {
      const column = Math.round(x * across.scale + across.shift);
      const isInside = row >= 0 && row < inPortrait.heightPx && column >= 0 && column < inPortrait.widthPx;
      const elsewhere = isInside ? inPortrait.data[row * inPortrait.widthPx + column] : 0;
      person.data[y * widthPx + x] = smoothstep(Math.max(inCanvas.data[y * widthPx + x], elsewhere), DOUBT, SURE);
    }
  }
  return person;
}
