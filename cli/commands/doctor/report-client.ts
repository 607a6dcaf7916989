// `avatar doctor`.
import type { z } from "zod";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { type CheckedPart, checkClient } from "./check-client.ts";
import { thisClient } from "./client-machine.ts";
import { describeChecks } from "./describe-checks.ts";
import type { doctorShape } from "./shapes.ts";

/** Prints every part. Throws CliError unavailable if one is missing that is needed. */
export async function reportClient(environment: Environment, { json }: { json?: boolean }): Promise<void> {
  const status = openStatusLine(json === true);
  const parts = await checkClient(thisClient(environment), (check) => status.show(`checking: ${check}`));
  status.clear();
  const missing = parts.filter(({ state, needed }) => state === "missing" && needed);
  const result: z.input<typeof doctorShape> = { ready: missing.length === 0, checks: parts };
  if (json) writeJson(result);
  else process.stdout.write(`${describe(parts)}\n`);
  if (missing.length === 0) return;
  const names = missing.map(({ check }) => check).join(", ");
  throw new CliError("unavailable", `This computer is not ready: ${names}.`, {
    hint: "The lines above say what to do.",
  });
}

function describe(parts: readonly CheckedPart[]): string {
  return describeChecks(
    parts.map(({ check, state, needed, found, remedy }) => ({
      name: check,
      state: state === "missing" && !needed ? "not here" : state,
      found,
      remedy,
    })),
  );
}
