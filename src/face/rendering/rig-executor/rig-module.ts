// The WebAssembly module of the executor: what it exports, and the memory of one instance.

/** The functions of rig.c and chest.c. Addresses are bytes from the start of the memory. */
export interface RigExports {
  memory: WebAssembly.Memory;
  shape_address(): number;
  shape_numbers(): number;
  tuning_address(): number;
  tuning_numbers(): number;
  parameters_address(): number;
  take_bytes(bytes: number): number;
  set_target(y: number, u: number, v: number, stride: number): void;
  load_tensor(tensor: number, address: number): void;
  render_rig(): void;
  copy_rows(from: number, to: number, stride: number, width: number, rows: number): void;
  move_chest(
    still: number,
    frame: number,
    runs: number,
    runCount: number,
    stride: number,
    offsets: number,
    fractions: number,
  ): void;
}

/** An instance with memory of its own. Views of the memory are lost when it grows: when anything is taken. */
export class RigModule {
  readonly exports: RigExports;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as RigExports;
  }

  bytes(address: number, count: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, address, count);
  }

  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.exports.memory.buffer, address, count);
  }

  ints(address: number, count: number): Int32Array {
    return new Int32Array(this.exports.memory.buffer, address, count);
  }

  /** Allocates memory for the numbers and returns its address. */
  takeInts(values: ArrayLike<number>): number {
    const address = this.exports.take_bytes(4 * values.length);
    this.ints(address, values.length).set(values);
    return address;
  }
}
