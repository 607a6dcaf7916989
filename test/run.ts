// `npm test [-- file or folder …]`: starts the servers that tests share, runs the test files two at a time, and prints the
// counts last.
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describeStartError } from "../cli/start/start-error.ts";
import { acquireLiveKit, acquirePostgres } from "./helpers/shared-servers.ts";
import { countTests, type TestCounts, type TestListener } from "./run/count-tests.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** More would only make timings of rooms and renders unsteady. */
const PARALLEL_FILES = 2;
/** A file that hangs; a slow and busy machine must not look like one. */
const FILE_TIMEOUT_S = 600;

process.chdir(ROOT);
const say = (line: string) => process.stdout.write(`${line}\n`);
const files = await findTestFiles(process.argv.slice(2));
let counts: TestCounts = { passed: 0, failed: 1, skipped: 0 };
try {
  const postgres = await acquirePostgres();
  try {
    const livekit = await acquireLiveKit(say);
    try {
      counts = await runFiles(files);
    } finally {
      await livekit.release();
    }
  } finally {
    await postgres.release();
  }
} catch (error) {
  say(describeStartError(error));
}
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
say(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** Test files under the given files and folders (default: all), as paths from the root. */
async function findTestFiles(wanted: string[]): Promise<string[]> {
  const entries = await readdir(join(ROOT, "test"), { recursive: true });
  const prefixes = wanted.map((path) => relative(ROOT, join(ROOT, path)));
  return entries
    .map((entry) => join("test", entry))
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)))
    .sort();
}

async function runFiles(paths: string[]): Promise<TestCounts> {
  if (paths.length === 0) throw new Error("no test file matches");
  const { parser, result } = countTests(createListener());
  const tap = join(createRequire(import.meta.url).resolve("tap/package.json"), "..", "dist", "esm", "run.mjs");
  await applyTapPlugins(tap);
  const runner = spawn(
    process.execPath,
    [tap, "run", "--reporter=tap", `--jobs=${PARALLEL_FILES}`, `--timeout=${FILE_TIMEOUT_S}`, ...paths],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => runner.kill(signal));
  runner.stdout.pipe(parser);
  const [total, status] = await Promise.all([
    result,
    new Promise<number>((resolve) => runner.once("close", (code) => resolve(code ?? 1))),
  ]);
  // The runner knows reasons to fail that no test tells, such as a file that is not a test.
  if (status !== 0 && total.failed === 0) {
    say(`the test runner ended with status ${status}`);
    return { ...total, failed: 1 };
  }
  return total;
}

/** Makes tap take the plugins of `.taprc` before it starts. By itself it does so during its first run in a new clone, too late for that run, which then
 *  compiles every file twice. */
async function applyTapPlugins(tap: string): Promise<void> {
  const built = join(
    createRequire(tap).resolve("@tapjs/test/package.json"),
    "..",
    "test-built",
    "dist",
    "esm",
    "index.js",
  );
  if (!(await readFile(built, "utf8")).includes("@tapjs/typescript")) return;
  const build = spawn(process.execPath, [tap, "build"], { stdio: ["ignore", "ignore", "inherit"] });
  const status = await new Promise<number>((resolve) => build.once("close", (code) => resolve(code ?? 1)));
  if (status !== 0) throw new Error("tap could not be built with the plugins of .taprc");
}

/** Prints one line for each file, and all about a failure at once. */
function createListener(): TestListener {
  const startedAt = performance.now();
  return {
    onFile(name, { passed, failed, skipped }, isOk) {
      const elapsedS = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
      const details = [
        `${passed} passed`,
        failed > 0 ? `${failed} failed` : "",
        skipped > 0 ? `${skipped} skipped` : "",
      ];
      say(
        `${elapsedS} s  ${isOk ? "ok    " : "FAILED"}  ${name} (${details.filter((text) => text !== "").join(", ")})`,
      );
    },
    onFailure(path, { diag }) {
      say(`\nFAILED: ${path.join(" > ")}`);
      for (const [name, value] of Object.entries(diag ?? {})) {
        const text = typeof value === "string" ? `\n${value.trimEnd()}` : ` ${JSON.stringify(value)}`;
        say(`${name}:${text}`.replace(/^/gm, "    "));
      }
    },
    onSkip: (path, reason) => say(`skipped: ${path.join(" > ")}${reason ? `: ${reason}` : ""}`),
  };
}
