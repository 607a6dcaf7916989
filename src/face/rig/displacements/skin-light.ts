// Light and shade that an expression puts on the skin: folds, and cheeks that catch the light. Soft, because they are
// stored on the head's grid: a fold that is drawn as a line looks like make-up.
import type { Plane } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { RIG_INPUT_INDEX, type RigInputName } from "../../rig-graph/rig-inputs.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { smileTakenBack } from "../rest-pose.ts";
import type { DisplacementBasis } from "./displacement-basis.ts";
import { bellAround, type FaceFrame, type FacePlace, SIDES } from "./face-frame.ts";

/** Shares of the skin's brightness at a parameter of 1. */
const FOLD_SHADE = 0.15;
const FOLD_LIGHT = 0.06;
const CHEEK_LIGHT = 0.06;
const LID_SHADE = 0.07;
const FURROW_SHADE = 0.19;
const FURROW_LIGHT = 0.06;
const NOSE_SHADE = 0.16;
const CORNER_SHADE = 0.08;
/** Where the fold passes the corner of the mouth: outside it, in eye distances. */
const FOLD_OUTSIDE = 0.13;
/** How far below the corners it ends. */
const FOLD_BELOW = 0.12;
/** A photographed crease is narrower than a cell, which spreads it: deeper, it looks like itself. */
const CREASE_GAIN = 1.5;
/** Skin nearer to the lips than this stays as it is, so that the inside of the mouth is never lit. */
const LIPS_REACH = 0.09;

/** Shares of brightness by rig input, each float32 [rows × columns] of the head's grid; negative is darker. Inputs in
 *  ascending order. */
export type SkinLight = ReadonlyMap<number, Float32Array>;

/** What the picture says about its skin. */
export interface SkinLook {
  /** How much light and shade of expressions suits it, 0..1. Default 1. */
  shading?: number;
  /** Creases of a smile that were taken out of it, as `smoothSmileFolds` returns them: its own folds. Default none. */
  creases?: Plane | null;
}

/** The light of one face on the grid of its head layer. */
export function createSkinLight(
  grid: DisplacementBasis,
  geometry: FaceGeometry,
  face: FaceFrame,
  { shading = 1, creases = null }: SkinLook,
): SkinLight {
  // A smile that was photographed shows which folds this face has: only what is missing of it is made up.
  const madeUp = 1 - smileTakenBack(geometry.mouth);
  const names = ["cheeks", "lowerLids", "fold", "browsTogether", "noseWrinkle", "cornersDown"] as const;
  const cells = grid.rows * grid.columns;
  const cellPx = grid.box.widthPx / grid.columns;
  const light = new Map(names.map((name) => [RIG_INPUT_INDEX[name], new Float32Array(cells)]));
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) {
      const x = grid.xOf(column);
      const y = grid.yOf(row);
      const place = face.at(x, y);
      const at = row * grid.columns + column;
      if (creases) light.get(RIG_INPUT_INDEX.fold)![at] = CREASE_GAIN * meanAround(creases, x, y, cellPx);
      const share = shading * skinShare(geometry, face, place, x, y);
      if (share === 0) continue;
      const add = (name: (typeof names)[number] & RigInputName, value: number) => {
        light.get(RIG_INPUT_INDEX[name])![at] += share * value;
      };
      SIDES.forEach((side, index) => {
        const cheek = face.cheeks[index];
        const apple = { ...cheek, down: cheek.down - 0.03 };
        add("cheeks", CHEEK_LIGHT * bellAround(place, apple, 0.17, 0.1) - lidShade(geometry, index, x, y, 0.55));
        add("lowerLids", -lidShade(geometry, index, x, y, 0.34));
        add("fold", madeUp * foldLight(face, place, side, index));
        const furrow = { across: 0.55 * face.browsInner[index].across, down: face.browsInner[index].down };
        add(
          "browsTogether",
          -FURROW_SHADE * bellAround(place, furrow, 0.05, 0.13) +
            FURROW_LIGHT * bellAround(place, { ...furrow, across: 0 }, 0.05, 0.1),
        );
        add("noseWrinkle", -NOSE_SHADE * bellAround(place, { across: 0.09 * side, down: 0.12 }, 0.06, 0.1));
        const corner = face.mouthCorners[index];
        const below = { across: corner.across + 0.07 * side, down: corner.down + 0.14 };
        add("cornersDown", -CORNER_SHADE * bellAround(place, below, 0.07, 0.1));
      });
    }
  }
  return light;
}

/** Mean of a plane over a square of `sidePx` around a pixel, as far as it lies within. */
function meanAround({ data, widthPx, heightPx }: Plane, x: number, y: number, sidePx: number): number {
  let sum = 0;
  let count = 0;
  const from = (at: number) => Math.max(0, Math.ceil(at - sidePx / 2));
  const to = (at: number, size: number) => Math.min(size - 1, Math.floor(at + sidePx / 2));
  for (let row = from(y); row <= to(y, heightPx); row++) {
    for (let column = from(x); column <= to(x, widthPx); column++) {
      sum += data[row * widthPx + column];
      count++;
    }
  }
  return sum / Math.max(1, count);
}

/** 1 on skin, 0 on eyes and lips. */
function skinShare({ eyes, mouth }: FaceGeometry, face: FaceFrame, place: FacePlace, x: number, y: number): number {
  let share = 1;
  for (const { frame, upper, lower } of eyes) {
    const u = frame.u(x, y);
    const v = frame.v(x, y);
    const outside = Math.max(upper(u) - 0.1 - v, v - lower(u) - 0.1, Math.abs(u) - 1.1);
    share *= smoothstep(outside / 0.12);
  }
  const u = mouth.frame.u(x, y);
  const v = mouth.frame.v(x, y);
  const unit = mouth.frame.unitPx / face.eyeDistancePx;
  const outside = Math.max(mouth.outerUpper(u) - v, v - mouth.outerLower(u), Math.abs(u) - 1) * unit;
  return place.down < 0 ? share : share * smoothstep(outside / LIPS_REACH);
}

/** Shade in the crease under an eye; `below` is its distance from the lid's margin, in half eye widths. */
function lidShade({ eyes }: FaceGeometry, index: number, x: number, y: number, below: number): number {
  const { frame, lower } = eyes[index];
  const u = frame.u(x, y);
  const v = frame.v(x, y);
  const along = Math.max(0, 1 - (u / 1.25) ** 2);
  return LID_SHADE * along * Math.exp(-(((v - lower(Math.min(1, Math.max(-1, u))) - below) / 0.16) ** 2));
}

/** The fold from the wing of the nose past the corner of the mouth: shade in it, light on the cheek beside it. */
function foldLight(face: FaceFrame, place: FacePlace, side: number, index: number): number {
  const wing = face.noseWings[index];
  const corner = face.mouthCorners[index];
  const from = { across: wing.across + 0.03 * side, down: wing.down - 0.02 };
  const to = { across: corner.across + FOLD_OUTSIDE * side, down: corner.down + FOLD_BELOW };
  const way = (place.down - from.down) / (to.down - from.down);
  if (way < -0.2 || way > 1.25) return 0;
  // It bows outwards.
  const bow = 0.05 * side * 4 * way * (1 - way);
  const outwards = side * (place.across - (from.across + way * (to.across - from.across) + bow));
  const along = smoothstep((way + 0.15) / 0.35) * smoothstep((1.2 - way) / 0.4);
  return (
    along *
    (FOLD_LIGHT * Math.exp(-(((outwards - 0.09) / 0.06) ** 2)) - FOLD_SHADE * Math.exp(-((outwards / 0.042) ** 2)))
  );
}
