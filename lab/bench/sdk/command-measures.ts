// What the command costs before it does anything: its archive, and the time until its help is printed.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Figure } from "./figure.ts";
import { measureRender } from "./render-measures.ts";
import type { SdkBench } from "./sdk-part.ts";
import { withUnpackedCommand } from "./unpacked-command.ts";

const RUNS = 21;
/** Prints what a process took, ms, when it ends. */
const COUNTER = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(2, String((user + system) / 1000));
});`;
const run = promisify(execFile);

export function measureCommand({
  progress,
  environment,
}: Pick<SdkBench, "progress" | "environment">): Promise<Figure[]> {
  return withUnpackedCommand(progress, async ({ packed: { command, parts }, folder, script }) => {
    const counter = join(folder, "counter.cjs");
    await writeFile(counter, COUNTER);
    const lipSync = parts.find(({ part }) => part === "model-lip-sync")!.archive;
    const help: Cost[] = [];
    const bare: Cost[] = [];
    for (let count = 0; count < RUNS; count++) {
      help.push(await costOf(counter, [script, "--help"]));
      bare.push(await costOf(counter, ["--eval", "0"]));
    }
    const median = (costs: readonly Cost[], of: keyof Cost) =>
      costs.map((cost) => cost[of]).sort((a, b) => a - b)[costs.length >> 1];
    const aboveMs = Math.max(0, median(help, "cpuMs") - median(bare, "cpuMs"));
    const lower = (name: string, value: number, unit: string, goal: number): Figure => {
      return { name, value: Math.round(value * 10) / 10, unit, goal, better: "lower" };
    };
    return [
      lower("Archive of avatar without models and pages", command.packed_bytes / 1e6, "MB", 12),
      lower("avatar --help from the archive", median(help, "wallMs"), "ms", 200),
      lower("avatar --help, CPU time", median(help, "cpuMs"), "ms", 150),
      lower("avatar --help, CPU time above a Node that does nothing", aboveMs, "ms", 80),
      ...(await measureRender({ folder, script, counter, lipSync }, environment)),
    ];
  });
}

interface Cost {
  wallMs: number;
  cpuMs: number;
}

/** Of a Node process, from its start. */
async function costOf(counter: string, words: readonly string[]): Promise<Cost> {
  const startedMs = performance.now();
  const { stderr } = await run(process.execPath, ["--require", counter, ...words]);
  return { wallMs: performance.now() - startedMs, cpuMs: Number(stderr) };
}
