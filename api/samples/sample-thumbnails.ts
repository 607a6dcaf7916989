// Small pictures of the sample faces, for the rows in which a visitor chooses one.
import { cropOfPoints } from "../../src/face/portrait/face-mesh.ts";
import { encodeThumbnail } from "../../src/signal/image/encode-image.ts";
import type { Gallery, GalleryEntry } from "../agents/portraits/gallery.ts";

/** Shown at 50 px or less, on screens of two and more pixels for each. */
const SIDE_PX = 112;
/** Side of the square as a multiple of the crop in which the face is found: hair and chin are in it, the room is not.
 *  */
const MARGIN = 1.2;

export interface SampleThumbnails {
  /** A WebP file of 112 × 112 px, about 4 KB: the face. Made once in the life of the process. */
  of(entry: GalleryEntry): Promise<Uint8Array>;
}

export function createSampleThumbnails(gallery: Pick<Gallery, "load">): SampleThumbnails {
  const made = new Map<string, Promise<Uint8Array>>();
  async function make(id: string): Promise<Uint8Array> {
    const { bytes, points } = await gallery.load(id);
    const { sizePx, ...middle } = cropOfPoints(points);
    return encodeThumbnail(bytes, { ...middle, sizePx: MARGIN * sizePx }, SIDE_PX);
  }
  return {
    of({ id }) {
      const coming = made.get(id) ?? make(id);
      made.set(id, coming);
      // A file that could not be read is read again.
      coming.catch(() => made.delete(id));
      return coming;
    },
  };
}
