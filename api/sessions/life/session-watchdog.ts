// Finds avatar sessions of silent workers, and dispatches another one or ends them. Every api process
// checks. The row lock lets one of them act; acting renews the session's last report time, so that the other processes
// skip it.
import { forEachAtOnce } from "../../../program/for-each-at-once.ts";
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { findAvatarSession } from "../record/avatar-session-store.ts";
import { listSilent, listUntaken } from "../record/session-queries.ts";
import type { SelfHostedSessions } from "../self-hosted/self-hosted-sessions.ts";
import type { SessionServices } from "../session-services.ts";
import { findLastRegistration } from "../workers/worker-registry.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";

type SilentSince = Record<"starting" | "live", Date>;

/** If two checks are this many intervals apart, the process stalled and received no heartbeats. */
const STALL_INTERVALS = 2;
/** Sessions in a state handled in one check: each state has a batch of its own, so that many sessions in one cannot
 *  delay the others. A starting session with a worker in its control room stays on its list. */
const BATCH_SESSIONS = { live: 20, starting: 60 } as const;
/** Sessions that no worker has accepted, dispatched again in one check. */
const UNTAKEN_BATCH_SESSIONS = 60;
/** Sessions handled at the same time: each may wait for LiveKit. */
const CONCURRENCY = 4;

export interface SessionWatchdogOptions {
  services: SessionServices;
  avatarSessions: Pick<AvatarSessions, "dispatchAgain" | "replaceWorker">;
  selfHosted: Pick<SelfHostedSessions, "endSilent">;
  /** How long heartbeats must have been possible before their absence counts, in ms. Default: the policy's. */
  graceMs?: number;
}

/** A watchdog that checks at its policy's interval. No heartbeat arrives while the api or its database is down. So
 *  after a start, a failed check or a stall it first gives workers `graceMs` to report. */
export function createSessionWatchdog(options: SessionWatchdogOptions): BackgroundService {
  const { services, avatarSessions, selfHosted } = options;
  const policy = services.policies.watchdog;
  const graceMs = options.graceMs ?? policy.graceMs;
  const { database, livekit, logger } = services;
  /** Monotonic times, in ms: since when heartbeats could arrive, and the last check. */
  let reachableSinceMs = performance.now();
  let lastCheckMs = performance.now();

  /** Sessions that last reported before these times are silent. */
  function silentSince(): SilentSince {
    const now = services.now();
    return {
      starting: new Date(now - policy.arrivalTimeoutMs),
      live: new Date(now - policy.liveTimeoutMs),
    };
  }

  /** Whether a silent session has no worker that could still report. */
  async function isLost(session: AvatarSession): Promise<boolean> {
    if (session.status !== "starting") return true;
    if (services.now() - session.lastSeenAt.getTime() > policy.startingTimeoutMs) return true;
    return !(await livekit.hasWorker(session.id));
  }

  async function handle(id: string, since: SilentSince): Promise<void> {
    const session = await findAvatarSession(database, id);
    if (!session || session.status === "ended") return;
    // Another process may have acted since the list was read.
    if (session.lastSeenAt >= since[session.status]) return;
    if (await isLost(session)) await avatarSessions.replaceWorker(id, session.dispatchNumber);
  }

  /** Sessions with a dispatch that can have reached no present worker: a worker has registered since, or none has
   *  accepted it for too long. None without a worker: the next dispatch would be dropped, too. */
  async function findUntaken(): Promise<{ id: string; dispatchNumber: number }[]> {
    const now = services.now();
    const registeredAt = await findLastRegistration(database, new Date(now));
    if (registeredAt === null) return [];
    const since = new Date(Math.max(registeredAt.getTime(), now - policy.untakenTimeoutMs));
    return listUntaken(database, { since, limit: UNTAKEN_BATCH_SESSIONS });
  }

  async function handleAll(ids: readonly string[], since: SilentSince): Promise<void> {
    await forEachAtOnce(ids, { concurrency: CONCURRENCY }, async (avatarSessionId) => {
      await handle(avatarSessionId, since).catch((error: unknown) => {
        logger.error({ err: error, avatarSessionId }, "silent session not handled");
      });
    });
  }

  async function dispatchAll(untaken: readonly { id: string; dispatchNumber: number }[]): Promise<void> {
    await forEachAtOnce(untaken, { concurrency: CONCURRENCY }, async ({ id, dispatchNumber }) => {
      await avatarSessions.dispatchAgain(id, dispatchNumber).catch((error: unknown) => {
        logger.error({ err: error, avatarSessionId: id }, "session not dispatched again");
      });
    });
  }

  async function check(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs - lastCheckMs > STALL_INTERVALS * policy.intervalMs) reachableSinceMs = startedMs;
    lastCheckMs = startedMs;
    const since = silentSince();
    const silentOf = (status: "live" | "starting") =>
      listSilent(database, status, { since: since[status], limit: BATCH_SESSIONS[status] });
    let live: string[];
    let starting: string[];
    let untaken: { id: string; dispatchNumber: number }[];
    try {
      untaken = await findUntaken();
      live = await silentOf("live");
      starting = await silentOf("starting");
    } catch (error) {
      reachableSinceMs = performance.now();
      throw error;
    }
    if (startedMs - reachableSinceMs >= graceMs) {
      await dispatchAll(untaken);
      await handleAll(live, since);
      await handleAll(starting, since);
      // Last, because no user waits for them.
      await selfHosted.endSilent(new Date(services.now() - policy.selfHostedTimeoutMs));
    }
    // This can take a while if LiveKit answers slowly, which is not a stall.
    lastCheckMs = performance.now();
  }

  return new BackgroundLoop({ name: "silent sessions", intervalMs: policy.intervalMs, work: check, logger });
}
