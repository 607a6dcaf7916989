// Building blocks of the rig graph, on top of the graph builder.
import type { PixelBox } from "../../signal/image/raster.ts";
import type { GraphBuilder } from "../../signal/onnx/graph-builder.ts";
import { ONNX_TYPE } from "../../signal/onnx/onnx-format.ts";
import type { RigData, RigTensorName } from "./rig-data.ts";

/** Height and width of a tensor's last axes. */
export interface GridSize {
  rows: number;
  columns: number;
}

/** Arguments and results are names of graph values. Tensors are [1, channels, rows, columns] unless said otherwise. */
export class GraphParts {
  readonly builder: GraphBuilder;
  /** Names of the stored tensors that hold the rig's data. */
  readonly tensorNames = new Map<RigTensorName, string>();
  readonly #data: Partial<RigData> | null;
  readonly #identities = new Map<string, string>();

  /** `data`: null for a graph without data, which serves to compare a file with. */
  constructor(builder: GraphBuilder, data: Partial<RigData> | null) {
    this.builder = builder;
    this.#data = data;
  }

  /** The value of a tensor of the rig's data. Throws RangeError if its length does not fit `dims`. */
  data(name: RigTensorName, dims: readonly number[], storage: "float32" | "float16" | "uint8" = "float32"): string {
    const values = this.#data === null ? null : (this.#data[name] ?? []);
    const { value, stored } = this.builder.stored(values, dims, { storage });
    this.tensorNames.set(name, stored);
    return value;
  }

  add(a: string, b: string): string {
    return this.builder.node("Add", [a, b]);
  }

  subtract(a: string, b: string): string {
    return this.builder.node("Sub", [a, b]);
  }

  multiply(a: string, b: string): string {
    return this.builder.node("Mul", [a, b]);
  }

  scaleBy(value: string, factor: number): string {
    return this.multiply(value, this.builder.scalar(factor));
  }

  clip(value: string, low: number, high: number): string {
    return this.builder.node("Clip", [value, this.builder.scalar(low), this.builder.scalar(high)]);
  }

  /** One of the parameters [1, n], as [1, 1]. */
  parameter(parameters: string, index: number): string {
    return this.builder.node("Gather", [parameters, this.builder.ints(index)], { axis: 1 });
  }

  /** 1 − factor × value. */
  oneMinus(value: string, factor: number): string {
    return this.subtract(this.builder.scalar(1), this.scaleBy(value, factor));
  }

  /** Means of 2 × 2 pixels. */
  halve(tensor: string): string {
    return this.builder.node("AveragePool", [tensor], { kernel_shape: [2, 2], strides: [2, 2] });
  }

  /** `over` where alpha is 1, `under` where it is 0. */
  mix(under: string, over: string, alpha: string): string {
    return this.add(under, this.multiply(this.subtract(over, under), alpha));
  }

  /** Channels from..to−1. */
  channels(tensor: string, from: number, to: number): string {
    return this.#slice(tensor, [from], [to], [1]);
  }

  /** Splits the channels into runs of `counts`. */
  split(tensor: string, counts: readonly number[]): string[] {
    return this.builder.nodeWithOutputs("Split", [tensor, this.builder.ints(...counts)], { axis: 1 }, counts.length);
  }

  concat(tensors: readonly string[], axis: number): string {
    return this.builder.node("Concat", tensors, { axis });
  }

  /** Item `index` of the batch axis. */
  item(tensor: string, index: number): string {
    return this.#slice(tensor, [index], [index + 1], [0]);
  }

  /** The part of a [1, C, rows, columns] tensor inside a box given in its own cells. */
  crop(tensor: string, box: PixelBox): string {
    return this.#slice(tensor, [box.y, box.x], [box.y + box.heightPx, box.x + box.widthPx], [2, 3]);
  }

  /** A displacement [1, 2, rows, columns] in halves of one box as one in halves of another. */
  scaleAxes(displacement: string, from: PixelBox, to: PixelBox): string {
    const ratio = [from.widthPx / to.widthPx, from.heightPx / to.heightPx];
    return this.multiply(displacement, this.builder.constant(ratio, [1, 2, 1, 1]));
  }

  /** `tensor` (of `size`) with the box replaced by `patch`. */
  paste(tensor: string, size: GridSize, patch: string, box: PixelBox): string {
    const bottom = box.y + box.heightPx;
    const right = box.x + box.widthPx;
    const left = this.#slice(tensor, [box.y, 0], [bottom, box.x], [2, 3]);
    const rest = this.#slice(tensor, [box.y, right], [bottom, size.columns], [2, 3]);
    const band = this.builder.node("Concat", [left, patch, rest], { axis: 3 });
    const above = this.#slice(tensor, [0], [box.y], [2]);
    const below = this.#slice(tensor, [bottom], [size.rows], [2]);
    return this.builder.node("Concat", [above, band, below], { axis: 2 });
  }

  /** `tensor` (of `size`) with its outermost rows and columns repeated once. */
  repeatEdges(tensor: string, { rows, columns }: GridSize): string {
    const row = (index: number) => this.#slice(tensor, [index], [index + 1], [2]);
    const taller = this.builder.node("Concat", [row(0), tensor, row(rows - 1)], { axis: 2 });
    const column = (index: number) => this.#slice(taller, [index], [index + 1], [3]);
    return this.builder.node("Concat", [column(0), taller, column(columns - 1)], { axis: 3 });
  }

  /** Bilinear samples of a tensor at the positions of a grid [N, rows, columns, 2] (−1..1 from edge to edge). `zeros`
   *  is much faster on the CPU than `border`. Only displacement fields need `border`, because they must not fall to
   *  zero outside. */
  sample(tensor: string, grid: string, outside: "zeros" | "border" = "zeros"): string {
    return this.builder.node("GridSample", [tensor, grid], {
      mode: "bilinear",
      padding_mode: outside,
      align_corners: 0,
    });
  }

  /** Linear resizing of the last two axes. */
  resize(tensor: string, shape: readonly number[], corners: "half_pixel" | "align_corners" = "half_pixel"): string {
    return this.builder.node("Resize", [tensor, "", "", this.builder.ints(...shape)], {
      mode: "linear",
      coordinate_transformation_mode: corners,
    });
  }

  /** A displacement [N, 2, rows, columns] in the layout of GridSample's positions: [N, rows, columns, 2]. */
  toGrid(displacement: string): string {
    return this.builder.node("Transpose", [displacement], { perm: [0, 2, 3, 1] });
  }

  /** Positions [1, rows, columns, 2] along two axes of coordinates; stored as the two axes and expanded once, at load.
   *  */
  grid(xs: readonly number[], ys: readonly number[]): string {
    const key = `${xs} | ${ys}`;
    const known = this.#identities.get(key);
    if (known) return known;
    const shape = this.builder.ints(1, ys.length, xs.length, 1);
    const across = this.builder.node("Expand", [this.builder.constant(xs, [1, 1, xs.length, 1]), shape]);
    const down = this.builder.node("Expand", [this.builder.constant(ys, [1, ys.length, 1, 1]), shape]);
    const grid = this.builder.node("Concat", [across, down], { axis: 3 });
    this.#identities.set(key, grid);
    return grid;
  }

  /** Positions of a box's pixels in a texture of another box, [1, h, w, 2]. */
  pixelPositions(box: PixelBox, texture: PixelBox): string {
    return this.#positions(box, texture, 1, 0.5);
  }

  /** The same of its blocks' top left pixels, [1, h/2, w/2, 2]. */
  blockPositions(box: PixelBox, texture: PixelBox): string {
    return this.#positions(box, texture, 2, 0.5);
  }

  /** The same of its blocks' middles. */
  blockMiddles(box: PixelBox, texture: PixelBox): string {
    return this.#positions(box, texture, 2, 1);
  }

  /** Colours, which already contain `ROUNDING`, as bytes. */
  toBytes(colours: string): string {
    return this.builder.node("Cast", [colours], { to: ONNX_TYPE.uint8 });
  }

  /** Converts the four pixels of each block [1, 4, h/2, w/2] to pixels [1, 1, h, w]. Two transposes that move one axis
   *  each take a quarter of the time of DepthToSpace. */
  unfoldBlocks(places: string, box: { widthPx: number; heightPx: number }): string {
    const { builder } = this;
    const [rows, columns] = [box.heightPx / 2, box.widthPx / 2];
    const pairs = builder.node("Reshape", [places, builder.ints(1, 2, 2, rows * columns)]);
    const across = builder.node("Transpose", [pairs], { perm: [0, 1, 3, 2] });
    const lines = builder.node("Reshape", [across, builder.ints(1, 2, rows, 2 * columns)]);
    const down = builder.node("Transpose", [lines], { perm: [0, 2, 1, 3] });
    return builder.node("Reshape", [down, builder.ints(1, 1, 2 * rows, 2 * columns)]);
  }

  #positions(box: PixelBox, texture: PixelBox, stepPx: number, firstPx: number): string {
    const along = (start: number, lengthPx: number, textureStart: number, texturePx: number) =>
      Array.from(
        { length: lengthPx / stepPx },
        (_, index) => ((start + stepPx * index + firstPx - textureStart) * 2) / texturePx - 1,
      );
    return this.grid(
      along(box.x, box.widthPx, texture.x, texture.widthPx),
      along(box.y, box.heightPx, texture.y, texture.heightPx),
    );
  }

  #slice(tensor: string, starts: readonly number[], ends: readonly number[], axes: readonly number[]): string {
    const { builder } = this;
    return builder.node("Slice", [tensor, builder.ints(...starts), builder.ints(...ends), builder.ints(...axes)]);
  }
}

/** Centres of `count` cells between −1 and 1. */
export function cellCentres(count: number): number[] {
  return Array.from({ length: count }, (_, index) => ((index + 0.5) * 2) / count - 1);
}

/** Positions of every second pixel of `sizePx`, for sampling block textures. */
export function blockStarts(sizePx: number): number[] {
  return Array.from({ length: sizePx / 2 }, (_, index) => ((2 * index + 0.5) * 2) / sizePx - 1);
}

/** The same box in half the resolution. */
export function halfBox(box: PixelBox): PixelBox {
  return { x: box.x / 2, y: box.y / 2, widthPx: box.widthPx / 2, heightPx: box.heightPx / 2 };
}

/** A box in the coordinates of a box that contains it. */
export function withinBox(box: PixelBox, outer: PixelBox): PixelBox {
  return { ...box, x: box.x - outer.x, y: box.y - outer.y };
}
