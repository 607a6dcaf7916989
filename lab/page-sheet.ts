// `npm run page-sheet`: every state of every page, at three widths and in both themes, on one sheet to look at.
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { Command } from "commander";
import { createProgress } from "../cli/start/progress.ts";
import { openService } from "../cli/start/service/service-access.ts";
import { describeStartError } from "../cli/start/start-error.ts";
import { toCliError } from "../cli/terminal/cli-error.ts";
import { withChromium } from "./bench/with-chromium.ts";
import { PAGE_STATES } from "./page-sheet/page-states.ts";
import { photographStates, SHEET_FLAGS } from "./page-sheet/photograph-states.ts";
import { writeSheet } from "./page-sheet/write-sheet.ts";

interface SheetFlags {
  out: string;
  only?: string;
  json: boolean;
}

const program = new Command("npm run page-sheet --")
  .description(
    "Photographs every state of every page at 320, 390 and 1280 px, light and dark, and checks each with axe.",
  )
  .option("--out <folder>", "where the pictures and sheet.png are written", "page-sheet")
  .option("--only <text>", "only states with this in their name, for example embed")
  .option("--json", "print one JSON object", false)
  .parse();

const flags = program.opts<SheetFlags>();
const folder = resolve(flags.out);
try {
  const states = PAGE_STATES.filter(({ name }) => flags.only === undefined || name.includes(flags.only));
  await mkdir(folder, { recursive: true });
  const progress = createProgress(process.stderr);
  const service = await openService({ environment: process.env, progress });
  const interrupt = () => void service.close().finally(() => process.exit(130));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  try {
    const { baseUrl, apiSecret } = service.client;
    const result = await withChromium(async (browser) => {
      const shots = await photographStates({ browser, states, folder, service: { baseUrl, apiSecret }, progress });
      return { shots, sheet: await writeSheet({ browser, folder, shots }) };
    }, SHEET_FLAGS);
    const failed = result.shots.filter(({ problem, violations }) => problem !== undefined || violations.length > 0);
    if (flags.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else {
      for (const { name, problem, violations } of failed)
        process.stdout.write(`  ${name}: ${problem ?? violations.join("; ")}\n`);
      process.stdout.write(`  ${result.sheet}: ${result.shots.length} pictures, ${failed.length} with a problem\n`);
    }
    if (failed.length > 0) process.exitCode = 1;
  } finally {
    await service.close();
  }
} catch (error) {
  const failure = toCliError(error);
  process.exitCode = failure.exitCode;
  process.stderr.write(`\n${failure.kind === "internal" ? describeStartError(error) : failure.message}\n`);
}
