// Types, lint rules and format, one test each. Nothing else in the suite checks them.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { runCommand } from "../cli/start/processes/run-command.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = join(ROOT, "node_modules");
/** The native TypeScript compiler takes a tenth of the time. The package `typescript` is the older one; tests use its
 *  API. */
const TSC = join(PACKAGES, "typescript-native", "bin", "tsc");
/** What the compiler knows from the run before: only what a change reaches is checked again. */
const TYPES_CACHE = join(PACKAGES, ".cache", "open-avatar-service-types.json");

t.test("there are no type errors", async (t) => {
  const incremental = ["--noEmit", "--incremental", "--tsBuildInfoFile", TYPES_CACHE];
  const options = { cwd: ROOT, timeoutMs: 240_000 };
  const { status, output } = await runCommand(process.execPath, [TSC, ...incremental], options);
  t.equal(status, 0, "no findings", { output });
});

t.test("lint rules and format hold", async (t) => {
  const { status, output } = await runCommand(join(PACKAGES, ".bin", "biome"), ["check", "."], { cwd: ROOT });
  t.equal(status, 0, "no findings", { output });
});
