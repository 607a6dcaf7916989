// Types, lint rules and format, one test each.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { runProgram } from "../cli/start/run-program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = join(ROOT, "node_modules");
/** The native TypeScript compiler takes a tenth of the time. The package `typescript` is the older one; tests use its
 *  API. */
const TSC = join(PACKAGES, "typescript-native", "bin", "tsc");

t.test("there are no type errors", async (t) => {
  const { status, output } = await runProgram(process.execPath, [TSC, "--noEmit"], { cwd: ROOT, timeoutMs: 240_000 });
  t.equal(status, 0, "no findings", { output });
});

t.test("lint rules and format hold", async (t) => {
  const { status, output } = await runProgram(join(PACKAGES, ".bin", "biome"), ["check", "."], { cwd: ROOT });
  t.equal(status, 0, "no findings", { output });
});
