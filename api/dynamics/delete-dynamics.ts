// The gestures of a deleted agent go with it, in a job, because the transaction of the deletion holds other locks.
import { z } from "zod";
import { deleteFiles } from "../agents/record/agent-files.ts";
import { addJob } from "../kernel/jobs/add-job.ts";
import type { JobKind } from "../kernel/jobs/job-runner.ts";
import { clipKey } from "./dynamics.ts";
import type { DynamicsServices } from "./dynamics-services.ts";
import { findOfDeletedAgent, noteDeleted } from "./dynamics-store.ts";
import { failRun } from "./settle-dynamics.ts";

const JOB_NAME = "delete-agent-dynamics";
const payloadSchema = z.object({ userId: z.string(), agentCode: z.string() });
const AGENT_DELETED = "The agent was deleted before its gestures were made.";

/** Adds the job with each deletion of an agent, in its transaction. */
export function deleteDynamicsWithAgent({ events }: Pick<DynamicsServices, "events">): void {
  events.on("agent.deleted", (transaction, { userId, agentCode }) =>
    addJob(transaction, JOB_NAME, { userId, agentCode }),
  );
}

/** The job: fails a run in progress, which stops it, and deletes the clips. Safe to repeat. */
export function deleteDynamicsJob(services: DynamicsServices): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload) {
      const { userId, agentCode } = payloadSchema.parse(payload);
      const dynamics = await findOfDeletedAgent(services.database, userId, agentCode);
      if (!dynamics) return;
      const { agentId, madeRun, actions } = dynamics;
      await failRun(services, dynamics, AGENT_DELETED);
      if (madeRun === null) return;
      await deleteFiles(
        services,
        actions.map((action) => clipKey(agentId, madeRun, action)),
      );
      await noteDeleted(services.database, agentId);
    },
  };
}
