// What an editor would underline: types, lint rules and format, as one test each.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { runProgram } from "../cli/start/run-program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAMS = join(ROOT, "node_modules", ".bin");

t.test("types are sound", async (t) => {
  const { status, output } = await runProgram(join(PROGRAMS, "tsc"), ["--noEmit"], { cwd: ROOT, timeoutMs: 240_000 });
  t.equal(status, 0, "nothing to complain about", { output });
});

t.test("lint rules and format hold", async (t) => {
  const { status, output } = await runProgram(join(PROGRAMS, "biome"), ["check", "."], { cwd: ROOT });
  t.equal(status, 0, "nothing to complain about", { output });
});
