// Ends the sessions of a deleted agent, in a job, because the transaction of the deletion must not wait for rooms.
import { z } from "zod";
import type { Database } from "../../kernel/database/database.ts";
import type { Events } from "../../kernel/events/events.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { listUnendedOfAgent } from "../record/session-queries.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";

const JOB_NAME = "end-agent-sessions";
const payloadSchema = z.object({ userId: z.string(), agentCode: z.string() });

/** Adds the job with each deletion of an agent, in its transaction. */
export function endSessionsWithAgent(events: Events): void {
  events.on("agent.deleted", (transaction, { userId, agentCode }) =>
    addJob(transaction, JOB_NAME, { userId, agentCode }),
  );
}

/** The job. Safe to repeat: ended sessions stay as they are. */
export function endAgentSessionsJob(database: Database, avatarSessions: Pick<AvatarSessions, "end">): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload) {
      const { userId, agentCode } = payloadSchema.parse(payload);
      for (const id of await listUnendedOfAgent(database, userId, agentCode)) {
        await avatarSessions.end(id, "terminated");
      }
    },
  };
}
