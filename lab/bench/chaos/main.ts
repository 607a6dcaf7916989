// `npm run chaos`: injects faults into a service of its own and prints fault, outcome and time. Exit code 1 if a goal
// is missed.
import "../../../cli/terminal/quiet-rtc.ts";
import { Command, InvalidArgumentError, Option } from "commander";
import { createProgress } from "../../../cli/start/progress.ts";
import { describeStartError } from "../../../cli/start/start-error.ts";
import { makeSpeechFile } from "../clients/speech-file.ts";
import { describeCommit } from "../service/describe-commit.ts";
import { startOwnService } from "../service/own-service.ts";
import type { FaultMetrics } from "./chaos-metrics.ts";
import { ChaosStage } from "./chaos-stage.ts";
import { chaosTable } from "./chaos-table.ts";
import { FAULTS } from "./faults.ts";
import { runFault } from "./run-fault.ts";

interface ChaosFlags {
  kills: number;
  times: number;
  checkout: string;
  faults: string[];
  json: boolean;
}

const NAMES = FAULTS.map(({ name }) => name);
const SPEECH_S = 30;

const program = new Command("npm run chaos --")
  .description("Injects faults into a service of its own, and prints what sender and listener notice.")
  .addOption(new Option("--faults <names...>", "only these").choices(NAMES).default(NAMES, "all"))
  .option("--kills <n>", "times that a session process is killed", parseCount, 30)
  .option("--times <n>", "times of each other fault", parseCount, 1)
  .option("--checkout <folder>", "checkout that is started", ".")
  .option("--json", "print one JSON object", false)
  .parse();

await run(program.opts<ChaosFlags>());

async function run({ kills, times, checkout, faults, json }: ChaosFlags): Promise<void> {
  const progress = createProgress(json ? process.stderr : process.stdout);
  const undo: (() => Promise<void>)[] = [];
  let cleaning: Promise<void> | null = null;
  const cleanUp = () => {
    cleaning ??= (async () => {
      for (const step of undo.reverse()) await step().catch(() => {}); // Nothing more can be done about it.
    })();
    return cleaning;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
  }
  try {
    const speech = await makeSpeechFile(SPEECH_S);
    undo.push(() => speech.close());
    const subject = await describeCommit(checkout);
    const environment = process.env;
    const start = () => startOwnService({ environment, checkout, report: (line) => progress.note(line) });
    const service = await progress.step("service", start, ({ client }) => `${subject} at ${client.baseUrl}`);
    undo.push(() => service.close());
    const stage = await ChaosStage.start(service, speech.file);
    undo.push(() => stage.close());
    const rows: FaultMetrics[] = [];
    for (const fault of FAULTS.filter(({ name }) => faults.includes(name))) {
      const count = fault.isRare ? times : kills;
      const inject = () => runFault({ stage, fault, times: count, speechFile: speech.file });
      rows.push(await progress.step(fault.name, inject, describe));
    }
    process.stdout.write(json ? `${JSON.stringify({ subject, rows })}\n` : chaosTable({ subject, rows }));
    process.exitCode = rows.every(({ is_reached }) => is_reached) ? 0 : 1;
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`\n${describeStartError(error)}\n`);
  }
  await cleanUp();
  process.exit();
}

function describe({ is_reached, back_ms, problems }: FaultMetrics): string {
  const back = back_ms ? `back after ${(back_ms.p95 / 1000).toFixed(1)} s (p95), ` : "";
  return `${back}${is_reached ? "goal reached" : `goal missed ${problems[0] ?? ""}`}`.trim();
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("a whole number above zero");
}
