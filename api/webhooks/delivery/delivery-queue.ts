// Queues the job that sends the deliveries of a lane. A lane has at most one waiting and one running job.
import { z } from "zod";
import type { Queryable } from "../../kernel/database/database.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";

export const DELIVER_WEBHOOKS = "deliver-webhooks";

/** Attempts of one job. A failed send does not fail the job. These attempts are for an unreachable database and for
 *  processes that die. */
const MAX_ATTEMPTS = 25;

export const deliverPayloadSchema = z.object({ lane: z.string() });

/** Wakes a lane now, for an event that was added to it. A pending retry keeps its time. */
export function wakeLane(database: Queryable, lane: string): Promise<void> {
  return addJob(database, DELIVER_WEBHOOKS, { lane }, { ...optionsOf(lane), keepsTime: true });
}

/** Wakes a lane in `delayMs`. */
export function wakeLaneIn(database: Queryable, lane: string, delayMs: number): Promise<void> {
  return addJob(database, DELIVER_WEBHOOKS, { lane }, { ...optionsOf(lane), delayMs });
}

function optionsOf(lane: string) {
  const name = `webhooks:${lane}`;
  return { key: name, queue: name, maxAttempts: MAX_ATTEMPTS };
}
