// Process of one flood.
import "../../../cli/terminal/quiet-rtc.ts";
import { setMaxListeners } from "node:events";
import { createSeededRandom } from "../seeded-random.ts";
import type { FloodReport, FloodTarget } from "./flood.ts";
import { FLOODS, type FloodName } from "./floods.ts";

export interface FloodOrder {
  name: FloodName;
  target: FloodTarget;
  seed: number;
  seconds: number;
}

process.on("message", async ({ name, target, seed, seconds }: FloodOrder) => {
  const report: FloodReport = { sent: {}, sentBytes: 0, answers: {}, violations: [] };
  const over = AbortSignal.timeout(seconds * 1000);
  // Each request listens to it.
  setMaxListeners(0, over);
  try {
    await FLOODS[name]({
      target,
      over,
      random: createSeededRandom(seed),
      sent(what, bytes, count = 1) {
        report.sent[what] = (report.sent[what] ?? 0) + count;
        report.sentBytes += bytes;
      },
      answered(answer) {
        report.answers[answer] = (report.answers[answer] ?? 0) + 1;
      },
    });
  } catch (error) {
    report.violations.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }
  // Native libraries keep threads: the process ends by itself only if told so.
  process.send?.(report, undefined, undefined, () => process.exit());
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
