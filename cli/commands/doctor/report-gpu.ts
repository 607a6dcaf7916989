// `avatar doctor gpu`.

import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { type CheckedStep, checkGpu } from "./check-gpu.ts";
import { thisMachine } from "./gpu-machine.ts";

const STATE_WIDTH = 9;
const STEP_WIDTH = 11;
/** Columns of a terminal that text is written into. */
const TEXT_COLUMNS = 76;

export async function reportGpu(environment: Environment, { json }: { json?: boolean }): Promise<void> {
  const status = openStatusLine(json === true);
  const steps = await checkGpu(thisMachine(environment), (step) => status.show(`checking: ${step}`));
  status.clear();
  const missing = steps.find(({ state }) => state === "missing");
  if (json) writeJson({ ready: missing === undefined, steps });
  else process.stdout.write(describe(steps));
  if (missing === undefined) return;
  throw new CliError("unavailable", `This machine cannot render on a GPU yet: ${missing.step} is missing.`, {
    hint: "Avatars are rendered on the CPU. docs/operating/gpu.md describes every step.",
  });
}

function describe(steps: readonly CheckedStep[]): string {
  const indent = " ".repeat(2 + STATE_WIDTH + STEP_WIDTH);
  const lines = steps.flatMap(({ step, state, found, remedy }) => [
    `  ${state.padEnd(STATE_WIDTH)}${step.padEnd(STEP_WIDTH)}${found}`.trimEnd(),
    ...(remedy ? wrap(remedy).map((line) => indent + line) : []),
  ]);
  const isReady = steps.every(({ state }) => state === "ok");
  const next = isReady
    ? "This machine renders on its GPU. AVATAR_EXECUTION_PROVIDER=cuda renders all sessions there."
    : "";
  return `${lines.join("\n")}\n${next ? `\n${next}\n` : "\n"}`;
}

function wrap(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > TEXT_COLUMNS && lines.at(-1) !== "") lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
