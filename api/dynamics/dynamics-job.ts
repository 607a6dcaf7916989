// The durable job that makes an agent's gestures, with its retries and errors.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Transaction } from "kysely";
import { z } from "zod";
import { runOnce } from "../../program/child-process/run-once.ts";
import { assertFreeSpace } from "../../program/files/free-space.ts";
import { GESTURE_NAMES } from "../../shared/gesture-names.ts";
import type { Agent } from "../agents/record/agent.ts";
import { deleteFiles } from "../agents/record/agent-files.ts";
import { findAgentById } from "../agents/record/agent-store.ts";
import type { Tables } from "../kernel/database/database.ts";
import { addJob } from "../kernel/jobs/add-job.ts";
import { mayRetry, reasonOf } from "../kernel/jobs/job-failure.ts";
import type { JobKind } from "../kernel/jobs/job-runner.ts";
import { clipKey, type Dynamics, dynamicsModelKey, isInProgress, ownModels } from "./dynamics.ts";
import type { DynamicsResult, DynamicsTask } from "./dynamics-messages.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { findDynamics, noteGenerating } from "./dynamics-store.ts";
import { completeRun, failRun, MADE_ANEW, type MadeModel } from "./settle-dynamics.ts";

const JOB_NAME = "make-dynamics";
/** One agent at a time in each process of the api: it takes a core. */
const CONCURRENT_JOBS = 1;
/** Waits of 3, 7 and 20 s between the attempts. */
const MAX_ATTEMPTS = 4;
const PROGRESS_INTERVAL_MS = 1_000;
/** Most bytes of the models and clips of a run. */
const MAX_RUN_BYTES = 200_000_000;
/** Three minutes of clips take about two on a free core. */
const TIMEOUT_MS = 1_800_000;

const payloadSchema = z.object({ agentId: z.string(), run: z.number() });

/** Queues a run, in the transaction that wrote it. */
export function enqueueRun(
  transaction: Transaction<Tables>,
  { agentId, run }: Pick<Dynamics, "agentId" | "run">,
): Promise<void> {
  return addJob(transaction, JOB_NAME, { agentId, run }, { key: `dynamics:${agentId}`, maxAttempts: MAX_ATTEMPTS });
}

/** The job kind. Clips that an earlier attempt has stored are not filmed again. */
export function dynamicsJob(services: DynamicsServices): JobKind {
  return {
    name: JOB_NAME,
    concurrency: CONCURRENT_JOBS,
    async run(payload, context) {
      const { agentId, run } = payloadSchema.parse(payload);
      const dynamics = await findDynamics(services.database, agentId);
      if (dynamics?.run !== run || !isInProgress(dynamics)) return;
      const agent = await findAgentById(services.database, agentId);
      if (!agent) return;
      try {
        await makeRun(services, dynamics, agent, context.signal);
      } catch (error) {
        if (error instanceof RunEndedError) return discardRun(services, dynamics, agent);
        if (mayRetry(error, context)) {
          services.logger.warn({ err: error, agentId, attempt: context.attempt }, "gestures will be tried again");
          throw error;
        }
        services.logger.warn({ err: error, agentId }, "gestures failed");
        await failRun(services, dynamics, reasonOf(error));
        await discardRun(services, dynamics, agent);
      }
    },
  };
}

/** The run ended while it was made: its agent was deleted, or another attempt completed it. Attempts overlap if the
 *  recovery takes a living process for a dead one. */
class RunEndedError extends Error {}

/** Deletes the files of a run that has ended, unless they are in use: it may have ended well. */
async function discardRun(services: DynamicsServices, dynamics: Dynamics, agent: Agent): Promise<void> {
  const ended = await findDynamics(services.database, dynamics.agentId);
  if (ended?.madeRun !== dynamics.run) await deleteFiles(services, filesOf(dynamics, agent));
}

/** All files that a run may have made. */
function filesOf({ agentId, run, revision }: Dynamics, agent: Agent): string[] {
  return [
    ...GESTURE_NAMES.map((action) => clipKey(agentId, run, action)),
    ...ownModels(agent).map(({ family }) => dynamicsModelKey({ id: agentId, revision }, family, run)),
  ];
}

async function makeRun(
  services: DynamicsServices,
  dynamics: Dynamics,
  agent: Agent,
  signal: AbortSignal,
): Promise<void> {
  const { database, logger, config, filmNiceness: niceness } = services;
  if (agent.deletedAt) throw new RunEndedError();
  if (agent.revision !== dynamics.revision) {
    await failRun(services, dynamics, MADE_ANEW);
    throw new RunEndedError();
  }
  const ended = new AbortController();
  let progress = 0;
  const note = async () => {
    if (!(await noteGenerating(database, dynamics, progress))) ended.abort(new RunEndedError());
  };
  await note();
  const heartbeat = setInterval(() => {
    // The database is away: the run goes on, and its end is retried.
    note().catch((error: unknown) => logger.warn({ err: error }, "progress of gestures not noted"));
  }, PROGRESS_INTERVAL_MS);
  const folder = await mkdtemp(join(tmpdir(), "avatar-dynamics-"));
  try {
    await assertFreeSpace(folder, config.disk.minFreeBytes, MAX_RUN_BYTES);
    const task = await prepareTask(services, dynamics, agent, folder);
    const result = await runOnce<DynamicsTask, DynamicsResult>(task, {
      module: new URL("dynamics-child.ts", import.meta.url),
      log: logger.child({ process: "dynamics" }),
      niceness,
      timeoutMs: TIMEOUT_MS,
      signal: AbortSignal.any([signal, ended.signal]),
      onProgress: (share) => {
        progress = share;
      },
    });
    await storeRun(services, dynamics, agent, { task, result });
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepareTask(
  { storage, config }: DynamicsServices,
  { agentId, run, seconds }: Dynamics,
  agent: Agent,
  folder: string,
): Promise<DynamicsTask> {
  const models: DynamicsTask["models"] = [];
  for (const { family, key } of ownModels(agent)) {
    models.push({ imx: await storage.readAll(key), path: join(folder, `${family}.imx`) });
  }
  const filmed: string[] = [];
  for (const action of GESTURE_NAMES) {
    if ((await storage.sizeOf(clipKey(agentId, run, action))) !== null) filmed.push(action);
  }
  return { models, folder, filmed, seconds, seed: run, ffmpegPath: config.rendering.ffmpegPath };
}

/** Stores clips and models, and puts them into use. */
async function storeRun(
  services: DynamicsServices,
  dynamics: Dynamics,
  agent: Agent,
  { task, result }: { task: DynamicsTask; result: DynamicsResult },
): Promise<void> {
  const { storage } = services;
  const { agentId, run } = dynamics;
  for (const { action, path } of result.clips) await storage.putFile(clipKey(agentId, run, action), path);
  const models: MadeModel[] = [];
  for (const [index, { family, key }] of ownModels(agent).entries()) {
    const made = await storage.putFile(dynamicsModelKey(agent, family, run), task.models[index].path);
    models.push({ family, key, made });
  }
  const isCompleted = await completeRun(services, dynamics, models);
  if (!isCompleted) throw new RunEndedError();
}
