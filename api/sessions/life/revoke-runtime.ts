// The kill switch of an account: refuses new sessions and ends the running ones.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { forEachAtOnce } from "../../../program/for-each-at-once.ts";
import type { EndReason } from "../../../shared/runtime-api.ts";
import { suspendRuntime } from "../../accounts/account-store.ts";
import type { Database } from "../../kernel/database/database.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { listRunningIds } from "../views/session-report.ts";
import type { AvatarSessions, StoppedSession } from "./avatar-sessions.ts";

/** Sessions handled at the same time. */
const CONCURRENCY = 8;
/** How long the caller waits for workers and rooms, ms: without LiveKit each of them takes seconds. */
const RELEASE_LIMIT_MS = 5_000;
const JOB_NAME = "release-sessions";
const REASON: EndReason = "terminated";
const payloadSchema = z.object({ ids: z.array(z.string()) });

type Ending = Pick<AvatarSessions, "stop" | "release">;

/** Suspends an account's runtime access and ends its sessions. Returns how many it ended. What LiveKit has not
 *  confirmed within 5 s is left to a job. */
export async function revokeRuntime(database: Database, avatarSessions: Ending, userId: string): Promise<number> {
  // Suspended first; otherwise a session admitted between the two steps would continue.
  await suspendRuntime(database, userId);
  const ids = await listRunningIds(database, userId);
  const held = new Map<string, StoppedSession>();
  // Billing of all of them stops before the first call to LiveKit.
  await forEachAtOnce(ids, { concurrency: CONCURRENCY }, async (id) => {
    const stopped = await avatarSessions.stop(id, REASON);
    if (stopped.needsRelease) held.set(id, stopped);
  });
  const end = new AbortController();
  const options = { concurrency: CONCURRENCY, signal: end.signal };
  const releasing = forEachAtOnce([...held], options, async ([id, { wasLive }]) => {
    await avatarSessions.release(id, REASON, { wasLive });
    held.delete(id);
  });
  await Promise.race([releasing.catch(() => undefined), delay(RELEASE_LIMIT_MS, undefined, { signal: end.signal })]);
  end.abort();
  if (held.size > 0) await addJob(database, JOB_NAME, { ids: [...held.keys()] });
  return ids.length;
}

/** The job. Safe to repeat. */
export function releaseSessionsJob(avatarSessions: Pick<AvatarSessions, "release">): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload) {
      let left = 0;
      await forEachAtOnce(payloadSchema.parse(payload).ids, { concurrency: CONCURRENCY }, async (id) => {
        const session = await avatarSessions.release(id, REASON);
        // Workers learn it at their next heartbeat; visitors stay in a room that is not closed.
        if (session?.isHosted && session.leftAt === null) left += 1;
      });
      if (left > 0) throw new Error(`the rooms of ${left} ended sessions are not closed yet`);
    },
  };
}
