// Whether this browser, or the policy of its page, lets WebAssembly run.

/** The shortest module. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** False where extensions, policies or a browser's safety settings switch WebAssembly off. */
export function runsWebAssembly(): boolean {
  try {
    return Boolean(new WebAssembly.Module(EMPTY_MODULE));
  } catch {
    return false;
  }
}

/** A module with one instruction on 128-bit vectors. */
const SIMD_MODULE = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 0x0a, 0x0a, 1, 8, 0, 0x41, 0, 0xfd, 0x0f,
  0xfd, 0x62, 0x0b,
]);

/** Whether it has the vector instructions that our modules use. */
export function runsWebAssemblySimd(): boolean {
  return WebAssembly.validate(SIMD_MODULE);
}
