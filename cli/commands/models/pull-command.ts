// Implements `avatar pull`.
import type { z } from "zod";

import { MODEL_CATALOGUE, resolveModel } from "../../../shared/models.ts";
import { openImxFile } from "../../../src/face/imx/imx-file.ts";
import { openClient } from "../../account/open-client.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { type PulledModel, pullModel } from "./pull-model.ts";
import type { pullShape } from "./shapes.ts";
import { showPull } from "./show-pull.ts";

export interface PullRequest {
  model?: string;
  force?: boolean;
  json?: boolean;
}

/** Prints the path of the file. Throws CliError as `pullModel` does. */
export async function pull(name: string, request: PullRequest, environment: Environment): Promise<void> {
  await interruptible(async (signal) => {
    const status = showPull(name, request.json === true);
    const pulled = await pullModel(name, { ...request, environment, signal, ...status }).finally(status.end);
    const { code, path, isCached, family } = pulled;
    const isRunnable = await canRender(pulled, environment);
    if (!request.json) {
      process.stdout.write(`${path}\n`);
      if (!isRunnable)
        writeNote("This program cannot render it: the file is of another version, or needs a mouth network.");
      return;
    }
    const others = await otherModels(pulled, environment, signal);
    const result: z.input<typeof pullShape> = {
      code,
      path,
      cached: isCached,
      family,
      model: family,
      other_models: others,
      runnable_locally: isRunnable,
    };
    writeJson(result);
  });
}

/** Models of the agent that have a file, too; none while the service is away. */
async function otherModels(
  { code, family, isSample }: PulledModel,
  environment: Environment,
  signal: AbortSignal,
): Promise<string[]> {
  if (isSample) return [];
  const client = await openClient(environment);
  const agent = await client.agents.get(code, { signal }).catch(() => null);
  signal.throwIfAborted();
  return (agent?.supported_models ?? []).filter((name) => {
    const other = resolveModel(name)?.family;
    return other !== undefined && other !== family && MODEL_CATALOGUE[other].hasArtifact;
  });
}

async function canRender({ path, family }: PulledModel, environment: Environment): Promise<boolean> {
  if (family === "essence-2-quality" && !environment.AVATAR_QUALITY_NETWORK) return false;
  const file = await openImxFile(path).catch(() => null);
  await file?.close();
  return file !== null;
}
