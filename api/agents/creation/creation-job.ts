// The job that makes an agent, and its error handling.

import { DownloadError } from "../../../program/outgoing/outgoing-client.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { JobContext, JobKind } from "../../kernel/jobs/job-runner.ts";
import type { AgentServices } from "../agent-services.ts";
import { endFailedCreation } from "../end-failed-creation.ts";
import { type AgentStep, isBeingCreated } from "../record/agent.ts";
import { deleteFiles, draftFileKeys } from "../record/agent-files.ts";
import { failCreation } from "../record/agent-ledger.ts";
import { findAgentById } from "../record/agent-store.ts";
import { AgentCreation, AgentGoneError } from "./agent-creation.ts";
import { CREATE_AGENT, creationPayloadSchema } from "./agent-queue.ts";

/** Bakes run one after the other in the baker; the other steps mostly wait for the operator's models. */
const CONCURRENT_JOBS = 4;
/** Of one account. */
const PER_ACCOUNT = 2;
const STEP_NAMES: Readonly<Partial<Record<AgentStep, string>>> = {
  payment: "starting",
  persona: "the persona",
  voice_image: "voice and portrait",
  awaiting_face_marking: "face marking",
  lip_sync: "lip sync",
};

/** The job kind. Failures that may pass (an image server is down, a process died) are retried. Other failures, and the
 *  last attempt, fail the agent with a full refund. */
export function creationJob(services: AgentServices): JobKind {
  return {
    name: CREATE_AGENT,
    concurrency: CONCURRENT_JOBS,
    perOwner: PER_ACCOUNT,
    async run(payload, context) {
      const { agentId, revision } = creationPayloadSchema.parse(payload);
      const agent = await findAgentById(services.database, agentId);
      if (!agent || agent.deletedAt || agent.revision !== revision) return;
      if (!isBeingCreated(agent) || agent.waitingSince) return;
      const creation = new AgentCreation(services, agent, context.signal);
      try {
        await creation.run();
      } catch (error) {
        if (error instanceof AgentGoneError) return;
        if (mayRetry(error, context)) {
          services.logger.warn(
            { err: error, agentCode: agent.code, attempt: context.attempt },
            "agent creation will be retried",
          );
          throw error;
        }
        services.logger.warn({ err: error, agentCode: agent.code, step: creation.step }, "agent creation failed");
        await failAgent(services, agentId, revision, creation.step, reasonOf(error));
      }
    },
  };
}

/** Fails the creation of an agent and refunds it. A regenerated agent goes on as before. Does nothing if the
 *  agent is already ready or failed, deleted, or at another revision. */
export async function failAgent(
  services: AgentServices,
  agentId: string,
  revision: number,
  step: AgentStep,
  reason: string,
): Promise<void> {
  const now = new Date(services.now());
  const unusedFiles = await services.database.transaction().execute(async (transaction) => {
    const agent = await findAgentById(transaction, agentId, { lock: true });
    if (!agent || agent.revision !== revision || !isBeingCreated(agent)) return [];
    const errorMessage = `Failed at ${STEP_NAMES[step] ?? step}: ${reason}`;
    await failCreation(transaction, agent, errorMessage, now);
    await endFailedCreation(transaction, services.events, { agentId, reason: errorMessage, at: now });
    return draftFileKeys(agent);
  });
  await deleteFiles(services, unusedFiles);
}

/** Whether to retry a failed attempt: not after the last attempt, and not if the caller's input is at fault. An attempt
 *  that this process's shutdown interrupted does not count. */
export function mayRetry(error: unknown, context: JobContext): boolean {
  const mayPass = error instanceof DownloadError ? error.mayPass : !isServiceError(error) || isAway(error);
  return mayPass && (!context.isLastAttempt || context.signal.aborted);
}

function isAway({ code }: ServiceError): boolean {
  return code === "SERVICE_UNAVAILABLE";
}

/** The error message for the owner. Internal errors appear in the log only. */
export function reasonOf(error: unknown): string {
  return isServiceError(error) ? error.message : "an internal error occurred and was logged. Try again.";
}

/** The error for an agent that lost its process at the last attempt. */
export function lostJobError(): ServiceError {
  return new ServiceError("INTERNAL_ERROR", "generation was interrupted too often. Try again.");
}
