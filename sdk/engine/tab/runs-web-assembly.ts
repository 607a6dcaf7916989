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
