// The WebAssembly modules of the package. Their C sources stand beside the TypeScript that runs them.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the package. */
export const PACKAGE_FOLDER = fileURLToPath(new URL("../..", import.meta.url));

export interface WasmModule {
  /** Path from the root of the package; every `.c` file in it is compiled. */
  folder: string;
  /** `rig` is written to `rig.wasm` in the folder. */
  name: string;
}

/** All modules, compiled by `npm run build:wasm`. Their `.wasm` files are committed, so that users need no compiler. */
export const WASM_MODULES: readonly WasmModule[] = [
  { folder: "src/face/rendering/rig-executor", name: "rig" },
  { folder: "src/face/lip-sync/executor", name: "lip-sync" },
  { folder: "src/signal/audio/executor", name: "resample" },
];

/** Path of the committed file, from the root of the package. */
export function wasmFileOf({ folder, name }: WasmModule): string {
  return `${folder}/${name}.wasm`;
}

/** Paths of the C sources from the root of the package, sorted, so that the linker's output does not depend on the file
 *  system. */
export async function sourcesOf({ folder }: WasmModule): Promise<string[]> {
  const names = await readdir(join(PACKAGE_FOLDER, folder));
  const sources = names.filter((name) => name.endsWith(".c")).sort();
  return sources.map((name) => `${folder}/${name}`);
}
