// The job that sends a lane's deliveries, as it is put into the queue. A lane has one job at most that waits, and one that runs.
import { z } from "zod";
import type { Queryable } from "../kernel/database/database.ts";
import { addJob } from "../kernel/jobs/add-job.ts";

export const DELIVER_WEBHOOKS = "deliver-webhooks";

/** Tries of one job. A failed send is no failed try: these are for a database that is away and processes that die. */
const MAX_ATTEMPTS = 25;

export const deliverPayloadSchema = z.object({ lane: z.string() });

/** Has a lane looked at now: for an event that was added to it. A retry that its head waits for keeps its time. */
export function wakeLane(database: Queryable, lane: string): Promise<void> {
  return addJob(database, DELIVER_WEBHOOKS, { lane }, { ...optionsOf(lane), keepsTime: true });
}

/** Has a lane looked at in `delayMs`. */
export function wakeLaneIn(database: Queryable, lane: string, delayMs: number): Promise<void> {
  return addJob(database, DELIVER_WEBHOOKS, { lane }, { ...optionsOf(lane), delayMs });
}

function optionsOf(lane: string) {
  const name = `webhooks:${lane}`;
  return { key: name, queue: name, maxAttempts: MAX_ATTEMPTS };
}
