// The job that bakes agents' models again after an upgrade, one after the other, while no other job needs the baker.
import type { ModelFamily } from "../../../shared/models.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { hasAwaitedJobs } from "../creation/agent-queue.ts";
import { type RebakeResult, type RebakeServices, rebakeModel } from "./rebake-model.ts";
import { claimOutdatedModel, countOutdatedModels } from "./rebake-store.ts";

/** The name has the version: while two versions run side by side, each takes its own jobs only. */
const REBAKE_MODELS = `rebake-models-${RIG_GENERATOR_VERSION}`;
/** One job of all versions waits, and one runs, over all processes. */
const KEY = "rebake-models";
/** A service that has just started has more urgent work. */
const START_DELAY_MS = 60_000;

export interface RebakeJobServices extends RebakeServices {
  /** Whether models of an earlier generator are baked again. */
  isRebaking: boolean;
  /** Families that are paused: no new models of them are made. */
  pausedModels: readonly ModelFamily[];
  /** Counts a rebake on `/metrics`. */
  countRebake(result: RebakeResult): void;
}

/** Queues the job if an earlier generator made any model. For the job runner's recovery, so that a job which a busy
 *  baker ended is queued again within a minute. Repeated calls queue it once. Returns the number of those models. */
export async function enqueueRebakes({ database, isRebaking }: RebakeJobServices): Promise<number> {
  const left = await countOutdatedModels(database);
  if (isRebaking && left > 0) {
    const options = { key: KEY, queue: KEY, delayMs: START_DELAY_MS, keepsTime: true };
    await addJob(database, REBAKE_MODELS, {}, options);
  }
  return left;
}

/** The job kind. A run ends when no model is left, another job needs the baker, or an attempt fails. */
export function rebakeJob(services: RebakeJobServices): JobKind {
  return {
    name: REBAKE_MODELS,
    concurrency: 1,
    async run(_payload, { signal }) {
      while (services.isRebaking && !signal.aborted && !(await hasAwaitedJobs(services.database))) {
        const now = new Date(services.now());
        const outdated = await claimOutdatedModel(services.database, { now, paused: services.pausedModels });
        if (!outdated) return;
        const result = await rebakeModel(services, outdated, signal);
        if (result === null) return;
        services.countRebake(result);
        // What made it fail may concern all models, such as a storage that is away.
        if (result === "failed") return;
      }
    },
  };
}
