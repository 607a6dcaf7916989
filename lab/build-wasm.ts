// `npm run build:wasm`: compiles the WebAssembly modules from their C sources; installs the compiler first if it is
// missing. With `--check` nothing is written: the committed files are compared with what the compiler makes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeStartError, StartError } from "../cli/start/start-error.ts";
import { compilerPython, compileWasm, installCompiler, isCompilerInstalled } from "./wasm/wasm-compiler.ts";
import { PACKAGE_FOLDER, WASM_MODULES, wasmFileOf } from "./wasm/wasm-modules.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const words = process.argv.slice(2);
  if (words.some((word) => word !== "--check"))
    throw new StartError("Unknown argument.", "npm run build:wasm [-- --check]");
  const python = compilerPython(process.env);
  if (!(await isCompilerInstalled(python))) {
    say("Installing the compiler.");
    await installCompiler(python);
  }
  await (words.includes("--check") ? checkModules(python) : buildModules(python));
} catch (error) {
  say(describeStartError(error));
  process.exitCode = 1;
}

async function buildModules(python: string): Promise<void> {
  for (const module of WASM_MODULES) {
    await writeFile(join(PACKAGE_FOLDER, wasmFileOf(module)), await compileWasm(python, module));
    say(`Wrote ${wasmFileOf(module)}`);
  }
}

/** Throws StartError if a committed file is not what its sources compile to. */
async function checkModules(python: string): Promise<void> {
  for (const module of WASM_MODULES) {
    const file = wasmFileOf(module);
    const isSame = (await compileWasm(python, module)).equals(await readFile(join(PACKAGE_FOLDER, file)));
    if (!isSame) throw new StartError(`${file} differs from its sources.`, "Run npm run build:wasm and commit it.");
    say(`${file} is what its sources compile to.`);
  }
}
