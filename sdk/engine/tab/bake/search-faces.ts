// The faces of a picture, each with what speaks against it.

import type { FaceBox } from "../../../../src/face/portrait/face-candidate.ts";
import type { FaceFinder } from "../../../../src/face/portrait/face-finder.ts";
import { brightestOfFace } from "../../../../src/face/portrait/face-light.ts";
import { faceTiltDeg } from "../../../../src/face/portrait/head-turn.ts";
import { findPortraitFaces, type JudgedFace, judgePortraitFace } from "../../../../src/face/portrait/portrait-face.ts";
import { type PixelBox, type RgbImage, toRgbImage } from "../../../../src/signal/image/raster.ts";
import { resize } from "../../../../src/signal/image/resize.ts";
import type { FaceHint, FoundFace, FoundFaces, PictureEdit, Turn } from "./bake-messages.ts";
import { editPicture, surroundingsOf } from "./edit-picture.ts";

/** Judging one takes about as long as finding all. */
const MAX_FACES = 8;
/** A turned picture is tried small: what is found there is large enough for an avatar. */
const TRIED_SIDE_PX = 320;
const OTHER_TURNS: readonly Turn[] = [90, 270, 180];
/** Score from which a face that lies on its side is believed. */
const MIN_TURNED_SCORE = 0.8;
/** Faces of the gallery have 93 to 248, a quarter of their light leaves 23 to 62. */
const DARK_BELOW = 45;
const TOO_DARK: FaceHint = Object.freeze({
  kind: "too-dark",
  message: "The face is dark. Turn it to a window or lamp, or brighten the picture.",
});

/** A picture with its faces: what is told of them, and what baking needs. */
export interface SearchedPicture {
  image: RgbImage;
  found: FoundFaces;
  faces: readonly JudgedFace[];
}

/** Throws what the runtime throws, and the reason of the signal. */
export async function searchFaces(
  picture: RgbImage,
  edit: PictureEdit,
  finder: FaceFinder,
  signal: AbortSignal,
): Promise<SearchedPicture> {
  const searched = await searchEdited(picture, edit, finder, signal);
  if (edit.turn !== undefined) return searched;
  const turn = await uprightTurn(searched, finder, signal);
  return turn === 0 ? searched : searchEdited(picture, { ...edit, turn }, finder, signal);
}

/** The turn after which the first face is upright, or a face shows at all. */
async function uprightTurn(
  { image, found: { faces } }: SearchedPicture,
  finder: FaceFinder,
  signal: AbortSignal,
): Promise<Turn> {
  if (faces.length > 0) return (((Math.round(-faces[0].tiltDeg / 90) + 4) % 4) * 90) as Turn;
  const scale = Math.min(1, TRIED_SIDE_PX / Math.max(image.widthPx, image.heightPx));
  const size = {
    widthPx: Math.max(1, Math.round(scale * image.widthPx)),
    heightPx: Math.max(1, Math.round(scale * image.heightPx)),
  };
  const small = toRgbImage(resize(image, size, "area"));
  for (const turn of OTHER_TURNS) {
    signal.throwIfAborted();
    const { faces } = await findPortraitFaces(editPicture(small, { turn }), finder);
    if (faces.some(({ score }) => score >= MIN_TURNED_SCORE)) return turn;
  }
  return 0;
}

async function searchEdited(
  picture: RgbImage,
  edit: PictureEdit,
  finder: FaceFinder,
  signal: AbortSignal,
): Promise<SearchedPicture> {
  const image = editPicture(picture, edit);
  const inImage = await findPortraitFaces(image, finder);
  const faces: JudgedFace[] = [];
  for (const candidate of inImage.faces.slice(0, MAX_FACES)) {
    signal.throwIfAborted();
    faces.push(await judgePortraitFace(image, candidate, finder));
  }
  const { widthPx, heightPx } = image;
  const boxes = faces.map(({ candidate }) => toPixelBox(candidate.box, image));
  return {
    image,
    faces,
    found: {
      widthPx,
      heightPx,
      edit,
      faces: faces.map((face, index) => describe(face, boxes, index, { image, crop: edit.crop })),
      flaw: inImage.flaw ?? faces[0].flaw,
    },
  };
}

function describe(
  face: JudgedFace,
  boxes: readonly PixelBox[],
  index: number,
  { image, crop }: { image: RgbImage; crop: PixelBox | undefined },
): FoundFace {
  const { candidate, landmarks, flaw } = face;
  const others = boxes.filter((_, other) => other !== index);
  const { x, y, ...size } = surroundingsOf(boxes[index], others, image);
  const isDark = brightestOfFace(image, landmarks.points) < DARK_BELOW;
  return {
    box: boxes[index],
    surroundings: { x: x + (crop?.x ?? 0), y: y + (crop?.y ?? 0), ...size },
    score: candidate.score,
    tiltDeg: faceTiltDeg(landmarks.points),
    flaw,
    hint: isDark ? TOO_DARK : null,
  };
}

/** Clamped to the image. */
function toPixelBox({ centreX, centreY, widthPx, heightPx }: FaceBox, image: RgbImage): PixelBox {
  const x = Math.max(0, Math.round(centreX - widthPx / 2));
  const y = Math.max(0, Math.round(centreY - heightPx / 2));
  return {
    x,
    y,
    widthPx: Math.min(image.widthPx, Math.round(centreX + widthPx / 2)) - x,
    heightPx: Math.min(image.heightPx, Math.round(centreY + heightPx / 2)) - y,
  };
}
