// `npm run bench`: measures the service or its parts on this machine, and names the machine with the figures.
import "./quiet-rtc.ts";
import { dispose } from "@livekit/rtc-node";
import { Argument, Command } from "commander";
import { benchBrowser } from "./bench/browser-bench.ts";
import { benchEngine } from "./bench/engine-bench.ts";
import { describeMachine } from "./bench/machine.ts";
import { benchCreate, benchRest } from "./bench/rest-bench.ts";
import { benchSession } from "./bench/session-bench.ts";
import { benchTabSync } from "./bench/tab-sync-bench.ts";
import { openService, type ServiceAccess } from "./service-access.ts";
import { createProgress, type Progress } from "./start/progress.ts";
import { describeStartError } from "./start/start-error.ts";

const BENCHES = ["render", "browser", "session", "tab-sync", "rest", "create"] as const;
type Bench = (typeof BENCHES)[number];
/** Those that measure parts of the engine, without a service. */
const ALONE: readonly Bench[] = ["render", "browser", "rest"];

interface BenchFlags {
  seconds: number;
  starts: number;
  json: boolean;
}

const program = new Command("npm run bench --")
  .description(
    "Measures this machine: render (the engine alone), browser (drawing in a tab), session (in a room), tab-sync (lip sync in a browser), rest, create. Default: session.",
  )
  .addArgument(new Argument("[benches...]", "what to measure").choices(BENCHES))
  .option("--seconds <n>", "length of the speech", Number, 60)
  .option("--starts <n>", "avatar sessions started for the time to the first picture", Number, 8)
  .option("--json", "print one JSON object", false)
  .parse();

await run((program.args.length > 0 ? program.args : ["session"]) as Bench[], program.opts<BenchFlags>());

async function run(benches: Bench[], flags: BenchFlags): Promise<void> {
  const progress = createProgress(flags.json ? process.stderr : process.stdout);
  const machine = describeMachine();
  const figures: Record<string, unknown> = {};
  let service: ServiceAccess | null = null;
  const interrupt = () => {
    process.exitCode = 130;
    void (service?.close() ?? Promise.resolve()).finally(() => process.exit());
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  try {
    for (const bench of benches) {
      if (!ALONE.includes(bench)) service ??= await openService({ environment: process.env, progress });
      figures[bench] = await measure(bench, flags, service, progress);
    }
    process.stdout.write(`${JSON.stringify({ machine, ...figures }, null, flags.json ? undefined : 2)}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`\n${describeStartError(error)}\n`);
  }
  await service?.close();
  await dispose();
  process.exit();
}

async function measure(bench: Bench, flags: BenchFlags, service: ServiceAccess | null, progress: Progress) {
  if (bench === "render") return benchEngine(flags.seconds);
  if (bench === "browser") return benchBrowser();
  if (bench === "rest") return benchRest();
  if (!service) throw new Error(`${bench} needs the service`);
  if (bench === "tab-sync") return benchTabSync(service.client.baseUrl);
  if (bench === "create") return benchCreate(service, 3);
  return benchSession({ service, progress, speechS: flags.seconds, starts: flags.starts });
}
