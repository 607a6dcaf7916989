// The WebAssembly modules: the committed files are what their sources compile to, and load in Node.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { runCommand } from "../../cli/start/processes/run-command.ts";
import { compilerPython, isCompilerInstalled } from "../../lab/wasm/wasm-compiler.ts";
import { PACKAGE_FOLDER, WASM_MODULES, wasmFileOf } from "../../lab/wasm/wasm-modules.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";

const skip = (await isCompilerInstalled(compilerPython(process.env)))
  ? false
  : "no compiler: `npm run build:wasm -- --check` installs it (370 MB)";

t.test("each committed module is byte for byte what its sources compile to", { skip }, async (t) => {
  const { status, output } = await runCommand(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), "lab/build-wasm.ts", "--check"],
    { cwd: PACKAGE_FOLDER, env: process.env, timeoutMs: 240_000 },
  );
  t.equal(status, 0, "the check passes", { output });
  for (const module of WASM_MODULES) t.match(output, wasmFileOf(module));
});

t.test("a module imports nothing, needs little memory, and is compiled once a process", async (t) => {
  const runtime = createNodeRuntime();
  for (const module of WASM_MODULES) {
    const file = pathToFileURL(join(PACKAGE_FOLDER, wasmFileOf(module)));
    const compiled = await runtime.loadModule(file);
    t.same(WebAssembly.Module.imports(compiled), []);
    t.equal(await createNodeRuntime().loadModule(file), compiled);
    const { memory } = new WebAssembly.Instance(compiled).exports as { memory: WebAssembly.Memory };
    // Arrays of fixed size are in it: the lip-sync network's weights are 3 MB.
    t.ok(memory.buffer.byteLength <= 4 * 1024 * 1024, `${memory.buffer.byteLength} bytes before any data`);
    t.ok((await readFile(file)).length < 100_000, "a page downloads it");
  }
  await t.rejects(runtime.loadModule(pathToFileURL(join(PACKAGE_FOLDER, "missing.wasm"))), { code: "ENOENT" });
});
