// Whether WebAssembly is there as the renderer needs it.

/** A module with one function that makes a vector of 128 bits. Source: WebAssembly core specification 2.0, 5.4.8. */
const VECTOR_MODULE = Buffer.from("0061736d010000000105016000017b030201000a080106004100fd0f0b", "hex");

export function hasSimd(): boolean {
  return typeof WebAssembly !== "undefined" && WebAssembly.validate(VECTOR_MODULE);
}
