// Ends the sessions of a deleted agent, and those of an agent's visitors once it is not public any more. In jobs,
// because the transactions that cause them must not wait for rooms.
import { z } from "zod";
import { findPublicAgent } from "../../agents/sharing/sharing-store.ts";
import type { Database } from "../../kernel/database/database.ts";
import type { Events } from "../../kernel/events/events.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { listUnendedVisits } from "../record/public-visits.ts";
import { listUnendedOfAgent } from "../record/session-queries.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";

const JOB_NAME = "end-agent-sessions";
const VISITS_JOB_NAME = "end-public-visits";
const payloadSchema = z.object({ userId: z.string(), agentCode: z.string() });

/** Adds the jobs with each deletion of an agent and each end of its sharing, in that transaction. */
export function endSessionsWithAgent(events: Events): void {
  events.on("agent.unshared", (transaction, { userId, agentCode }) =>
    addJob(transaction, VISITS_JOB_NAME, { userId, agentCode }),
  );
  events.on("agent.deleted", (transaction, { userId, agentCode }) =>
    addJob(transaction, JOB_NAME, { userId, agentCode }),
  );
}

/** The jobs. Safe to repeat: ended sessions stay as they are. */
export function endAgentSessionsJobs(database: Database, avatarSessions: Pick<AvatarSessions, "end">): JobKind[] {
  const endAll = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await avatarSessions.end(id, "terminated");
  };
  return [
    {
      name: JOB_NAME,
      concurrency: 1,
      async run(payload) {
        const { userId, agentCode } = payloadSchema.parse(payload);
        await endAll(await listUnendedOfAgent(database, userId, agentCode));
      },
    },
    {
      name: VISITS_JOB_NAME,
      concurrency: 1,
      async run(payload) {
        const { agentCode } = payloadSchema.parse(payload);
        // It may be shared again by now.
        if ((await findPublicAgent(database, agentCode)) !== null) return;
        await endAll(await listUnendedVisits(database, agentCode));
      },
    },
  ];
}
