// The C compiler of the WebAssembly modules: clang, from a Python package in a virtual environment of its own.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../../cli/start/processes/run-command.ts";
import { StartError } from "../../cli/start/start-error.ts";
import { PACKAGE_FOLDER, sourcesOf, type WasmModule } from "./wasm-modules.ts";

const REQUIREMENTS = join(PACKAGE_FOLDER, "lab", "wasm", "requirements.txt");
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const COMPILE_TIMEOUT_MS = 5 * 60_000;

/** No library and no start code: a module has the code of its sources only. SIMD and the other features are in every
 *  browser since 2023 and in Node since 16. `-ffp-contract=off` keeps each rounding where the source has it, and
 *  functions are exported one by one, by their visibility. */
const FLAGS = [
  "-target",
  "wasm32-freestanding",
  "-mcpu=generic+simd128+bulk_memory+sign_ext+nontrapping_fptoint",
  "-std=gnu17",
  "-O3",
  "-ffreestanding",
  "-nostdlib",
  "-fno-math-errno",
  "-ffp-contract=off",
  "-fno-sanitize=all",
  "-fvisibility=hidden",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-Wno-gnu",
  "-Wl,--no-entry",
  "-Wl,--export-dynamic",
  "-Wl,--export=__heap_base",
  "-Wl,--strip-all",
  // Of 1 MB by default; no function here has large arrays or recurses.
  "-Wl,-z,stack-size=65536",
];

/** Path of the Python of the compiler's environment, which `.ci/run` makes, too. */
export function compilerPython(environment: NodeJS.ProcessEnv): string {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "open-avatar-service", "wasm", "bin", "python");
}

/** True if the pinned version of the compiler is installed in the environment of `python`. */
export async function isCompilerInstalled(python: string): Promise<boolean> {
  const pinned = /^ziglang==(\S+)$/m.exec(await readFile(REQUIREMENTS, "utf8"))?.[1];
  const { status, output } = await runCommand(python, ["-m", "ziglang", "version"]);
  return status === 0 && output.trim() === pinned;
}

/** Installs the pinned compiler (370 MB) into the environment of `python`, which it makes. Throws StartError. */
export async function installCompiler(python: string): Promise<void> {
  const steps: [program: string, ...args: string[]][] = [
    ["python3", "-m", "venv", join(python, "..", "..")],
    [python, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS],
  ];
  for (const [program, ...args] of steps) {
    const { status, output } = await runCommand(program, args, { timeoutMs: INSTALL_TIMEOUT_MS });
    if (status !== 0) {
      throw new StartError(
        "The compiler could not be installed.",
        `Install python3 with venv and pip. It said: ${output}`,
      );
    }
  }
}

/** Returns the bytes of a module. They depend on sources and compiler only: nothing of an earlier compilation is
 *  reused. Throws StartError with the compiler's messages. */
export async function compileWasm(python: string, module: WasmModule): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-wasm-"));
  try {
    const outFile = join(folder, `${module.name}.wasm`);
    const args = ["-m", "ziglang", "cc", ...FLAGS, "-o", outFile, ...(await sourcesOf(module))];
    const { status, output } = await runCommand(python, args, {
      cwd: PACKAGE_FOLDER,
      env: { ZIG_GLOBAL_CACHE_DIR: join(folder, "cache"), ZIG_LOCAL_CACHE_DIR: join(folder, "cache") },
      timeoutMs: COMPILE_TIMEOUT_MS,
    });
    if (status !== 0) throw new StartError(`${module.folder} does not compile.`, output);
    return await readFile(outFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
