// Builds an ONNX graph node by node; `model-writer.ts` turns it into a file.
import { toFloat16Bits } from "./float16.ts";
import type { AttributeValue, Dimension, Graph, GraphNode, GraphTensor, GraphValue } from "./graph.ts";
import { type ModelOptions, writeModel } from "./model-writer.ts";
import { ONNX_TYPE, type OnnxType } from "./onnx-format.ts";

export interface ConstantOptions {
  /** Name of the value. Default: a new unique name. */
  name?: string;
  /** How the file stores it. `float16` and `uint8` (rounded, clamped to 0..255) are cast to float32 at their use. ONNX
   *  Runtime does this once, at load. Default `float32`. */
  storage?: "float32" | "float16" | "uint8" | "int64";
}

/** Builds a graph. Nodes run in the order in which they are added, so the inputs of a node must be added before it. */
export class GraphBuilder {
  readonly #name: string;
  readonly #freshPrefix: string;
  readonly #nodes: GraphNode[] = [];
  readonly #initialisers: GraphTensor[] = [];
  readonly #inputs: GraphValue[] = [];
  readonly #outputs: GraphValue[] = [];
  readonly #names = new Set<string>();
  readonly #shared = new Map<string, string>();
  #counter = 0;

  /** `freshPrefix`: prefix of every generated name, for graphs that also use names of another graph. */
  constructor(name: string, freshPrefix = "") {
    this.#name = name;
    this.#freshPrefix = freshPrefix;
  }

  /** Declares a graph input and returns its name. */
  input(name: string, type: OnnxType, dims: readonly Dimension[]): string {
    this.#inputs.push({ name: this.#claim(name), type, dims });
    return name;
  }

  /** Declares a graph output. A node must write the value of this name: pass it as that node's `output`. */
  output(name: string, type: OnnxType, dims: readonly Dimension[]): void {
    this.#outputs.push({ name, type, dims });
  }

  /** Adds a constant tensor, row-major; returns the name of its value. Throws RangeError if the count does not fit
   *  `dims`. */
  constant(values: ArrayLike<number>, dims: readonly number[], options: ConstantOptions = {}): string {
    return this.stored(values, dims, options).value;
  }

  /** As `constant`; returns also the name of the tensor in the file, which differs if it is cast. `values`: null leaves
   *  the bytes out, for a graph that is compared and not run. */
  stored(
    values: ArrayLike<number> | null,
    dims: readonly number[],
    options: ConstantOptions = {},
  ): { value: string; stored: string } {
    const storage = options.storage ?? "float32";
    const count = dims.reduce((product, size) => product * size, 1);
    if (values && values.length !== count) {
      throw new RangeError(`dims [${dims}] hold ${count} values, got ${values.length}`);
    }
    const isCast = storage === "float16" || storage === "uint8";
    const value = this.#claim(options.name ?? this.#fresh("c"));
    const stored = isCast ? this.#claim(`${value}_${storage}`) : value;
    this.#initialisers.push({ name: stored, type: storage, dims, bytes: encode(values ?? [], storage) });
    if (isCast)
      this.#nodes.push({ operator: "Cast", inputs: [stored], outputs: [value], attributes: { to: ONNX_TYPE.float32 } });
    return { value, stored };
  }

  /** Adds a constant given as bytes; returns its name. */
  tensor(tensor: GraphTensor): string {
    this.#initialisers.push({ ...tensor, name: this.#claim(tensor.name) });
    return tensor.name;
  }

  /** Adds a float32 scalar (no axes). Equal numbers are stored once. */
  scalar(value: number): string {
    return this.#once(`scalar ${value}`, () => this.constant([value], []));
  }

  /** Adds an int64 vector, for shapes and axes. Equal vectors are stored once. */
  ints(...values: number[]): string {
    return this.#once(`ints ${values}`, () => this.constant(values, [values.length], { storage: "int64" }));
  }

  /** Adds a node with one output and returns the output's name: `output`, or a generated name. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
    output?: string,
  ): string {
    return this.#add(operator, inputs, attributes, [output ?? this.#fresh("v")])[0];
  }

  /** Adds a node with `outputCount` outputs and returns their names. */
  nodeWithOutputs(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>>,
    outputCount: number,
  ): string[] {
    return this.#add(
      operator,
      inputs,
      attributes,
      Array.from({ length: outputCount }, () => this.#fresh("v")),
    );
  }

  /** Adds a node with the given output names. */
  nodeAs(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>>,
    outputs: readonly string[],
  ): void {
    this.#add(operator, inputs, attributes, [...outputs]);
  }

  /** Returns the finished graph. Throws RangeError if no node writes a declared output. */
  toGraph(): Graph {
    for (const { name } of this.#outputs)
      if (!this.#names.has(name)) throw new RangeError(`nothing writes output ${name}`);
    return {
      name: this.#name,
      nodes: this.#nodes,
      initialisers: this.#initialisers,
      inputs: this.#inputs,
      outputs: this.#outputs,
    };
  }

  /** Returns the bytes of an `.onnx` file. Throws like `toGraph`. */
  toModel(options: ModelOptions = {}): Uint8Array {
    return writeModel(this.toGraph(), options);
  }

  #add(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>>,
    outputs: string[],
  ): string[] {
    for (const input of inputs) {
      if (input !== "" && !this.#names.has(input))
        throw new RangeError(`${operator} reads ${input}, which nothing wrote`);
    }
    for (const output of outputs) this.#claim(output);
    this.#nodes.push({ operator, inputs, outputs, attributes });
    return outputs;
  }

  #once(key: string, make: () => string): string {
    const name = this.#shared.get(key) ?? make();
    this.#shared.set(key, name);
    return name;
  }

  #claim(name: string): string {
    if (this.#names.has(name)) throw new RangeError(`the name ${name} is taken`);
    this.#names.add(name);
    return name;
  }

  #fresh(prefix: string): string {
    this.#counter++;
    return `${this.#freshPrefix}${prefix}${this.#counter}`;
  }
}

function encode(values: ArrayLike<number>, storage: NonNullable<ConstantOptions["storage"]>): Uint8Array {
  switch (storage) {
    case "float32":
      return bytesOf(Float32Array.from(values));
    case "float16":
      return bytesOf(toFloat16Bits(values));
    case "uint8":
      return Uint8Array.from(Uint8ClampedArray.from(values));
    case "int64":
      return bytesOf(BigInt64Array.from(Array.from(values, (value) => BigInt(value))));
  }
}

function bytesOf(array: Float32Array | Uint16Array | BigInt64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
