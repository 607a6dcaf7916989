// Displacement of each point of a layer per input: the linear part of the rig.
import type { PixelBox } from "../../../signal/image/raster.ts";
import { RIG_INPUT_COUNT, RIG_INPUT_INDEX, type RigInputName } from "../../rig-graph/rig-inputs.ts";

/** An input that moves a layer by fewer pixels than this is ignored for it. */
const NEGLIGIBLE_PX = 0.02;

/** Forward displacements in pixels on a coarse grid over a box: the point at a grid cell's centre moves by the sum over
 *  the rig's inputs of value × (dx, dy). */
export class DisplacementBasis {
  readonly box: PixelBox;
  readonly columns: number;
  readonly rows: number;
  /** float32 [22, 2, rows, columns]; axis 1 is dx, dy. */
  readonly data: Float32Array;

  constructor(box: PixelBox, columns: number, rows: number) {
    this.box = box;
    this.columns = columns;
    this.rows = rows;
    this.data = new Float32Array(RIG_INPUT_COUNT * 2 * rows * columns);
  }

  /** Pixel position (region coordinates, whole numbers are pixel centres) of a column's or row's centre. */
  xOf(column: number): number {
    return this.box.x + ((column + 0.5) * this.box.widthPx) / this.columns - 0.5;
  }

  yOf(row: number): number {
    return this.box.y + ((row + 0.5) * this.box.heightPx) / this.rows - 0.5;
  }

  add(input: RigInputName, row: number, column: number, dx: number, dy: number): void {
    const plane = this.rows * this.columns;
    const at = RIG_INPUT_INDEX[input] * 2 * plane + row * this.columns + column;
    this.data[at] += dx;
    this.data[at + plane] += dy;
  }

  /** Scales every displacement of one cell. */
  fade(row: number, column: number, factor: number): void {
    const plane = this.rows * this.columns;
    for (let at = row * this.columns + column; at < this.data.length; at += plane) this.data[at] *= factor;
  }

  /** Indices of the inputs that move any point. */
  activeInputs(): number[] {
    const size = 2 * this.rows * this.columns;
    return Array.from({ length: RIG_INPUT_COUNT }, (_, index) => index).filter((index) =>
      this.data.subarray(index * size, (index + 1) * size).some((value) => Math.abs(value) > NEGLIGIBLE_PX),
    );
  }

  /** Largest |dx| and |dy| that an input at 1 causes anywhere. */
  largest(input: RigInputName): { x: number; y: number } {
    const plane = this.rows * this.columns;
    const start = RIG_INPUT_INDEX[input] * 2 * plane;
    const peak = (from: number) =>
      this.data.subarray(from, from + plane).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return { x: peak(start), y: peak(start + plane) };
  }
}
