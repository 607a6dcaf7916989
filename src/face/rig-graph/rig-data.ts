// What a graph stores of one face: the tensors that differ between rigs of one shape.

/** Each tensor in row-major order. Displacements are fractions of half the box that is named; textures are 0..255
 *  (masks too: 255 means 1), cut out at their box, with Y, U, V in BT.601, limited range. */
export interface RigData {
  /** [active inputs of the head, 2 × rows × columns]: x, then y; halves of the region. */
  headField: ArrayLike<number>;
  /** The same of the jaw; halves of the mouth's box. */
  jawField: ArrayLike<number>;
  /** [lights, rows × columns] of the head's grid: how much lighter each input at 1 makes the skin, as a share of its
   *  brightness; negative is darker. Only in rigs with expressions. */
  light?: ArrayLike<number>;
  /** Shift of the upper lids [2 eyes × closures, 2 × rows × columns]; halves of the eyes' box, of which a cell is a
   *  block. See `lidShifts`. */
  lidField: ArrayLike<number>;
  /** Shift of the eyeballs [inputs, 2] per input; halves of the eyes' source. */
  gaze: ArrayLike<number>;
  /** Inverse displacement of tongue and teeth at the corners of the interior [inputs, 3 layers × 2 × 2 × 2] per input;
   *  halves of the interior. */
  interiorCorners: ArrayLike<number>;
  /** [1, 3, h, w]: Y, U, V of the region with its rim, and one pixel more. */
  head: ArrayLike<number>;
  /** [1, 3, h, w]: Y, U, V of the eyes' source, and one pixel more. */
  eyeballs: ArrayLike<number>;
  /** [1, 1, h, w]: the mask of the opening between the lids, likewise. */
  eyeOpenings: ArrayLike<number>;
  /** [1, 8, h, w] of the eyes' source: Y, U, V of open and of shut lids, and the masks of both. */
  lids: ArrayLike<number>;
  /** [1, 5, h, w] of the mouth's source: Y, U, V, mask and shade of what moves with the head. */
  upperLip: ArrayLike<number>;
  /** [1, 5, h, w] of the mouth's box: the same of what moves with the jaw. */
  lowerLip: ArrayLike<number>;
  /** [3, 4, h, w] of the interior and one pixel more: Y, U, V and mask of tongue, lower and upper teeth. */
  interior: ArrayLike<number>;
  /** [1, 6, 1, 1]: the colour behind tongue and teeth as a block, four times Y, then U and V, with `ROUNDING`. */
  cavity: ArrayLike<number>;
  /** [1, 1, 1, 1] and [1, 2, 1, 1]: Y, and U and V, of an interior that no light reaches, with `ROUNDING`. */
  darkLuma: ArrayLike<number>;
  darkChroma: ArrayLike<number>;
}

export type RigTensorName = keyof RigData;

/** Offset that stored colours contain, so that the final truncation to bytes rounds. Mixing keeps it. */
export const ROUNDING = 0.5;
