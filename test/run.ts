// `npm test [-- changed | file or folder …] [--timings]`: starts the servers that the chosen test files share, runs the
// files, longest first, and prints the ten slowest files, wall and CPU time, second tries and the counts.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describeStartError, StartError } from "../cli/start/start-error.ts";
import { buildWeb } from "../web/build.ts";
import { acquireLiveKit, LIVEKIT } from "./helpers/livekit/shared-livekit.ts";
import { acquirePostgres, POSTGRES } from "./helpers/servers/shared-postgres.ts";
import { environmentFor, type SharedServer } from "./helpers/servers/shared-server.ts";
import { PROGRAMS_ARE_BUILT } from "./helpers/service/built-programs.ts";
import { bundleTests } from "./run/bundle-tests.ts";
import { onlyChanged } from "./run/changed-files.ts";
import { addTests, describeCounts, noTests } from "./run/count-tests.ts";
import { cpuSeconds } from "./run/cpu-seconds.ts";
import { packCommand, packPackages } from "./run/pack-packages.ts";
import { listTestFiles, type Reach, readReach } from "./run/reach.ts";
import { runAgain } from "./run/run-again.ts";
import { runFiles } from "./run/run-files.ts";
import type { FileResult } from "./run/test-process.ts";
import { loadTimings, storeTimings } from "./run/timings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SLOWEST = 10;
/** Modules of a test file that needs a server. */
const NEEDS = {
  postgres: "test/helpers/servers/shared-postgres.ts",
  livekit: "test/helpers/livekit/shared-livekit.ts",
};
/** Module of a test file that needs the pages of the service. */
const NEEDS_PAGES = "test/helpers/service/with-stack.ts";
/** Module of a test file that needs the archives of the packages. */
const NEEDS_PACKAGES = "test/helpers/packages/with-packed-project.ts";
/** Module of a test file that needs the archive of the command, which has the pages. */
const NEEDS_COMMAND = "test/helpers/packages/with-installed-command.ts";

process.chdir(ROOT);
const say = (line: string) => process.stdout.write(`${line}\n`);
const words = process.argv.slice(2);
const storesTimings = words.includes("--timings");
const paths = words.filter((word) => !word.startsWith("--"));

const startedMs = performance.now();
const total = noTests();
let ran: readonly FileResult[] = [];
let secondTries = 0;
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
if (ran.length > 0) saySummary();
say(`\n${describeCounts(total)}`);
process.exitCode = total.failed > 0 || (hasTests && total.passed + total.skipped === 0) ? 1 : 0;

/** Runs the files and adds their counts to the total. */
async function runAll(files: readonly string[], reach: Reach): Promise<void> {
  const isNeeded = (module: string) => files.some((file) => reach(file).has(module));
  const packAll = async () => {
    if (isNeeded(NEEDS_PACKAGES)) await packPackages();
    // It builds the pages too.
    if (isNeeded(NEEDS_COMMAND)) await packCommand();
    else if (isNeeded(NEEDS_PAGES)) await buildWeb();
  };
  const [bundles] = await Promise.all([bundleTests(files), packAll()]);
  const timingOf = await loadTimings();
  try {
    ran = await withServers(files, reach, async (environment) => {
      const run = async (some: readonly string[]) => {
        const { results, brokenProcesses } = await runFiles({ files: some, timingOf, bundles, environment, say });
        total.failed += brokenProcesses;
        return results;
      };
      const tried = await runAgain({ results: await run(files), run, say });
      secondTries = tried.secondTries;
      return tried.results;
    });
    for (const { counts } of ran) addTests(total, counts);
    if (storesTimings) await storeTimings(ran, await listTestFiles());
  } finally {
    await bundles.remove();
  }
}

/** The test files that the arguments name. None only if nothing changed. */
async function chooseFiles(reach: Reach): Promise<string[]> {
  const isChanged = paths.includes("changed");
  const prefixes = paths.filter((path) => path !== "changed").map((path) => relative(ROOT, path));
  const all = await listTestFiles();
  const named = all.filter((file) => prefixes.length === 0 || prefixes.some((prefix) => file.startsWith(prefix)));
  const files = isChanged ? await onlyChanged(named, reach) : named;
  if (files.length === 0 && !isChanged) {
    throw new StartError("No test file matches.", "Name files or folders below test/.");
  }
  return files;
}

/** Gives `work` the addresses of the servers that the files need, as an environment. */
async function withServers<T>(
  files: readonly string[],
  reach: Reach,
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const servers: SharedServer<unknown>[] = [];
  let environment: Record<string, string> = { [PROGRAMS_ARE_BUILT]: "1" };
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

/** The CPU time is that of everything that the run started, with the shared servers and the compiler. */
function saySummary(): void {
  const elapsedS = (performance.now() - startedMs) / 1000;
  const sorted = ran.toSorted((left, right) => right.durationS - left.durationS).slice(0, SLOWEST);
  const cpuMinutes = (cpuSeconds() / 60).toFixed(1);
  say(`\n${ran.length} files in ${elapsedS.toFixed(0)} s, CPU time ${cpuMinutes} minutes; the slowest:`);
  for (const { file, durationS, cpuS } of sorted) {
    say(`${durationS.toFixed(1).padStart(7)} s  CPU ${cpuS.toFixed(1).padStart(5)} s  ${file}`);
  }
  say(`Second tries: ${secondTries}`);
}
