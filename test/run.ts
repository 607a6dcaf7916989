// `npm test [-- changed | file or folder …] [--timings]`: starts the servers that the chosen test files share, runs the
// files in two processes, longest first, and prints the ten slowest files and the counts.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describeStartError, StartError } from "../cli/start/start-error.ts";
import { acquireLiveKit, LIVEKIT } from "./helpers/shared-livekit.ts";
import { acquirePostgres, POSTGRES } from "./helpers/shared-postgres.ts";
import { environmentFor, type SharedServer } from "./helpers/shared-server.ts";
import { bundleTests } from "./run/bundle-tests.ts";
import { onlyChanged } from "./run/changed-files.ts";
import { addTests, describeCounts, noTests } from "./run/count-tests.ts";
import { listTestFiles, type Reach, readReach } from "./run/reach.ts";
import { runAgain } from "./run/run-again.ts";
import { runFiles } from "./run/run-files.ts";
import type { FileResult } from "./run/test-process.ts";
import { sortByDuration, storeTimings } from "./run/timings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SLOWEST = 10;
/** Modules of a test file that needs a server. */
const NEEDS = { postgres: "test/helpers/shared-postgres.ts", livekit: "test/helpers/shared-livekit.ts" };

process.chdir(ROOT);
const say = (line: string) => process.stdout.write(`${line}\n`);
const words = process.argv.slice(2);
const storesTimings = words.includes("--timings");
const paths = words.filter((word) => !word.startsWith("--"));

const startedMs = performance.now();
const total = noTests();
/** False if nothing changed, which is no failure. */
let hasTests = true;
try {
  const reach = await readReach();
  const files = await chooseFiles(reach);
  hasTests = files.length > 0;
  if (hasTests) await runAll(files, reach);
  else say("No test file reaches what differs from main.");
} catch (error) {
  say(describeStartError(error));
  total.failed += 1;
}
say(`\n${describeCounts(total)}`);
process.exitCode = total.failed > 0 || (hasTests && total.passed + total.skipped === 0) ? 1 : 0;

/** Runs the files and adds their counts to the total. */
async function runAll(files: readonly string[], reach: Reach): Promise<void> {
  const bundles = await bundleTests(files);
  try {
    const results = await withServers(files, reach, async (environment) => {
      const run = async (some: readonly string[]) => {
        const { results: ran, brokenProcesses } = await runFiles({ files: some, bundles, environment, say });
        total.failed += brokenProcesses;
        return ran;
      };
      return runAgain({ results: await run(files), run, say });
    });
    for (const { counts } of results) addTests(total, counts);
    if (storesTimings) await storeTimings(results, await listTestFiles());
    saySlowest(results);
  } finally {
    await bundles.remove();
  }
}

/** The test files that the arguments name, longest first. None only if nothing changed. */
async function chooseFiles(reach: Reach): Promise<string[]> {
  const isChanged = paths.includes("changed");
  const prefixes = paths.filter((path) => path !== "changed").map((path) => relative(ROOT, path));
  const all = await listTestFiles();
  const named = all.filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)));
  const files = isChanged ? await onlyChanged(named, reach) : named;
  if (files.length === 0 && !isChanged) {
    throw new StartError("No test file matches.", "Name files or folders below test/.");
  }
  return sortByDuration(files);
}

/** Gives `work` the addresses of the servers that the files need, as an environment. */
async function withServers<T>(
  files: readonly string[],
  reach: Reach,
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const servers: SharedServer<unknown>[] = [];
  let environment: Record<string, string> = {};
  const add = async (name: string, acquire: () => Promise<SharedServer<unknown>>, needs: string) => {
    if (!files.some((file) => reach(file).has(needs))) return;
    const server = await acquire();
    servers.push(server);
    environment = { ...environment, ...environmentFor(name, server) };
  };
  try {
    await add(POSTGRES, acquirePostgres, NEEDS.postgres);
    await add(LIVEKIT, () => acquireLiveKit(say), NEEDS.livekit);
    return await work(environment);
  } finally {
    for (const server of servers.reverse()) await server.release();
  }
}

function saySlowest(results: readonly FileResult[]): void {
  const elapsedS = (performance.now() - startedMs) / 1000;
  const sorted = results.toSorted((left, right) => right.durationS - left.durationS).slice(0, SLOWEST);
  say(`\n${results.length} files in ${elapsedS.toFixed(0)} s; the slowest:`);
  for (const { file, durationS } of sorted) say(`${durationS.toFixed(1).padStart(7)} s  ${file}`);
}
