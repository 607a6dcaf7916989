// How large a photo is shown on a canvas: as its face needs, within what the photo shows.

/** Height of the face oval (hairline to chin) as a share of the region's side, where the photo shows enough around
 *  it: leaves room for hair above, the neck below, and a rim in which motion fades out. */
const OVAL_SHARE = 0.54;
/** To cover a canvas of another shape than the photo's, a face is enlarged to this share of the canvas's shorter side:
 *  hair still fits. What the photo then does not cover is backdrop. */
const MOST_OVAL_CANVAS_SHARE = 0.66;
/** A photo that lacks no more than this share of the canvas is enlarged to cover it. */
const COVERING_SLACK = 0.04;

/** Side lengths in px. */
interface Size {
  widthPx: number;
  heightPx: number;
}

/** Scales are pixels of the canvas for each pixel of the photo. */
export interface CanvasFit {
  /** At this scale the whole photo is on the canvas; no face is shown smaller. */
  showsAll: number;
  /** From this scale on, the photo covers the canvas. */
  covers: number;
}

/** What sizes alone say about a photo on a canvas. */
export function fitOnCanvas(photo: Size, canvas: Size): CanvasFit {
  const shares = [canvas.widthPx / photo.widthPx, canvas.heightPx / photo.heightPx];
  return { showsAll: Math.min(...shares), covers: Math.max(...shares) };
}

/** The scale at which a photo with a face oval of `ovalHeightPx` is shown. Under `covers`, a backdrop surrounds it.
 *  `regionPx`: least side of the square that moves. */
export function portraitScale(
  photo: Size,
  ovalHeightPx: number,
  { canvas, regionPx }: { canvas: Size; regionPx: number },
): number {
  const { showsAll, covers } = fitOnCanvas(photo, canvas);
  const natural = (OVAL_SHARE * regionPx) / ovalHeightPx;
  const largest = (MOST_OVAL_CANVAS_SHARE * Math.min(canvas.widthPx, canvas.heightPx)) / ovalHeightPx;
  const scale = Math.max(natural, showsAll, Math.min(covers, largest));
  return scale >= (1 - COVERING_SLACK) * covers ? Math.max(scale, covers) : scale;
}
