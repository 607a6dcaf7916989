// The identity clip of an agent: ten seconds at rest that loop. Made in the background once the agent is ready, so that
// no creation waits for it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { runOnce } from "../../../program/child-process/run-once.ts";
import { assertFreeSpace } from "../../../program/files/free-space.ts";
import { type Agent, artifactFor } from "../../agents/record/agent.ts";
import { deleteFiles } from "../../agents/record/agent-files.ts";
import { findAgentByCode, findAgentById, updateAgent } from "../../agents/record/agent-store.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import type { VideoServices } from "../video-services.ts";
import type { RestFilmTask } from "./film-messages.ts";

const JOB_NAME = "identity-clip";
const MAX_ATTEMPTS = 4;
/** Ten seconds. Source: the contract. */
const CLIP_FRAMES = 250;
const MAX_CLIP_BYTES = 20_000_000;
/** It takes seconds on a free core. */
const TIMEOUT_MS = 600_000;

const payloadSchema = z.object({ agentId: z.string(), revision: z.number() });

/** Queues a clip with each agent that becomes ready, in that transaction. */
export function filmReadyAgents({ events, config }: Pick<VideoServices, "events" | "config">): void {
  if (!config.avatars.hasIdentityClips) return;
  events.on("agent.ready", async (transaction, { agentCode }) => {
    const agent = await findAgentByCode(transaction, agentCode);
    if (!agent) return;
    const { id: agentId, revision } = agent;
    await addJob(transaction, JOB_NAME, { agentId, revision }, { key: `clip:${agentId}`, maxAttempts: MAX_ATTEMPTS });
  });
}

/** The job kind. An agent works without a clip: some cannot be made. */
export function identityClipJob(services: VideoServices): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload, { signal }) {
      const { agentId, revision } = payloadSchema.parse(payload);
      const agent = await findAgentById(services.database, agentId);
      const key = `videos/rest-${agentId}-${revision}.mp4`;
      if (!agent || agent.deletedAt || agent.revision !== revision || agent.clipKey === key) return;
      if (!(await filmAtRest(services, agent, key, signal))) return;
      const replaced = await putIntoUse(services, agent, key);
      if (replaced) await deleteFiles(services, [replaced]);
    },
  };
}

/** Stores the clip. Returns false if the agent has no file to film. Throws the errors of the film process. */
async function filmAtRest(services: VideoServices, agent: Agent, key: string, signal: AbortSignal): Promise<boolean> {
  const { storage, config, logger, policies } = services;
  const artifact = artifactFor(agent, agent.model);
  if (!artifact) return false;
  const folder = await mkdtemp(join(tmpdir(), "avatar-clip-"));
  try {
    await assertFreeSpace(folder, config.disk.minFreeBytes, MAX_CLIP_BYTES);
    const filmPath = join(folder, "clip.mp4");
    const task: RestFilmTask = {
      imx: await storage.readAll(artifact.key),
      family: agent.model,
      frames: CLIP_FRAMES,
      filmPath,
      ffmpegPath: config.rendering.ffmpegPath,
      qualityNetworkPath: config.rendering.qualityNetworkPath,
    };
    await runOnce<RestFilmTask, null>(task, {
      module: new URL("rest-film-child.ts", import.meta.url),
      log: logger.child({ process: "identity-clip" }),
      niceness: policies.filmNiceness,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    await storage.putFile(key, filmPath);
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shows the clip with its agent. Returns the file that is no longer needed: an earlier clip, or this one if the agent
 *  was deleted or made anew meanwhile. */
function putIntoUse({ database }: VideoServices, { id, revision }: Agent, key: string): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, id, { lock: true });
    if (!agent || agent.deletedAt || agent.revision !== revision) return key;
    await updateAgent(transaction, id, { clipKey: key, eventType: "video_created" }, agent.updatedAt);
    return agent.clipKey;
  });
}
