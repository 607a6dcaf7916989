// `avatar doctor gpu`.

import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { type CheckedStep, checkGpu } from "./check-gpu.ts";
import { describeChecks } from "./describe-checks.ts";
import { thisMachine } from "./gpu-machine.ts";

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
  const isReady = steps.every(({ state }) => state === "ok");
  const next = isReady
    ? "This machine renders on its GPU. AVATAR_EXECUTION_PROVIDER=cuda renders all sessions there."
    : "";
  return `${describeChecks(steps.map((step) => ({ name: step.step, ...step })))}\n${next ? `\n${next}\n` : "\n"}`;
}
