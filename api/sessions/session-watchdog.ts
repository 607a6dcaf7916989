// Finds avatar sessions whose worker has gone silent, and dispatches another one or ends them. Every api process
// checks. The row lock lets one of them act; acting renews the session's last report time, so that the other processes
// skip it.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { BackgroundService } from "../kernel/module.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { findAvatarSession } from "./avatar-session-store.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";
import { listSilent, listUntaken, type SilentKind } from "./session-queries.ts";
import type { SessionServices } from "./session-services.ts";
import { findLastRegistration } from "./workers/worker-registry.ts";

/** If two checks are this many intervals apart, the process stalled and received no heartbeats. */
const STALL_INTERVALS = 2;
/** Cloud sessions come first, because their users are waiting. Each kind has a batch of its own, so that many sessions
 *  of one kind cannot delay the others. */
const KINDS: readonly SilentKind[] = ["live", "starting", "selfHosted"];
/** Sessions of a kind handled in one check. A starting session with a worker in its control room stays on its list.
 *  */
const BATCH_SESSIONS: Readonly<Record<SilentKind, number>> = { live: 20, starting: 60, selfHosted: 20 };
/** Sessions that no worker has accepted, dispatched again in one check. */
const UNTAKEN_BATCH_SESSIONS = 60;
/** Sessions handled at the same time: each may wait for LiveKit. */
const CONCURRENCY = 4;
/** Self-hosted sessions that never served are ended together, at most this many in one check. */
const UNSERVED_BATCH_SESSIONS = 5_000;

export interface SessionWatchdogOptions {
  services: SessionServices;
  avatarSessions: Pick<AvatarSessions, "dispatchAgain" | "end" | "endUnserved" | "replaceWorker">;
  /** How long heartbeats must have been possible before their absence counts, in ms. Default: the policy's. */
  graceMs?: number;
}

/** A watchdog that checks at its policy's interval. No heartbeat arrives while the api or its database is down. So
 *  after a start, a failed check or a stall it first gives workers `graceMs` to report. */
export function createSessionWatchdog(options: SessionWatchdogOptions): BackgroundService {
  const { services, avatarSessions } = options;
  const policy = services.policies.watchdog;
  const graceMs = options.graceMs ?? policy.graceMs;
  const { database, livekit, logger } = services;
  /** Monotonic times, in ms: since when heartbeats could arrive, and the last check. */
  let reachableSinceMs = performance.now();
  let lastCheckMs = performance.now();

  /** Sessions of each kind that last reported before these times are silent. */
  function silentSince(): Record<SilentKind, Date> {
    const now = services.now();
    return {
      starting: new Date(now - policy.arrivalTimeoutMs),
      live: new Date(now - policy.liveTimeoutMs),
      selfHosted: new Date(now - policy.selfHostedTimeoutMs),
    };
  }

  /** Whether a silent session has no worker that could still report. */
  async function isLost(session: AvatarSession): Promise<boolean> {
    if (session.status !== "starting") return true;
    if (services.now() - session.lastSeenAt.getTime() > policy.startingTimeoutMs) return true;
    return !(await livekit.hasWorker(session.id));
  }

  async function handle(id: string, since: Record<SilentKind, Date>): Promise<void> {
    const session = await findAvatarSession(database, id);
    if (!session || session.status === "ended") return;
    // Another process may have acted since the list was read.
    if (session.lastSeenAt >= since[session.isSelfHosted ? "selfHosted" : session.status]) return;
    if (session.isSelfHosted) await avatarSessions.end(id, "worker_lost");
    else if (await isLost(session)) await avatarSessions.replaceWorker(id, session.dispatchNumber);
  }

  /** Sessions whose dispatch can have reached no worker that is present: a worker has registered since, or none has
   *  accepted it for too long. None without a worker: the next dispatch would be dropped, too. */
  async function findUntaken(): Promise<{ id: string; dispatchNumber: number }[]> {
    const now = services.now();
    const registeredAt = await findLastRegistration(database, new Date(now));
    if (registeredAt === null) return [];
    const since = new Date(Math.max(registeredAt.getTime(), now - policy.untakenTimeoutMs));
    return listUntaken(database, { since, limit: UNTAKEN_BATCH_SESSIONS });
  }

  async function handleAll(ids: readonly string[], since: Record<SilentKind, Date>): Promise<void> {
    await forEach(ids, async (avatarSessionId) => {
      await handle(avatarSessionId, since).catch((error: unknown) => {
        logger.error({ err: error, avatarSessionId }, "silent session not handled");
      });
    });
  }

  async function dispatchAll(untaken: readonly { id: string; dispatchNumber: number }[]): Promise<void> {
    await forEach(untaken, async ({ id, dispatchNumber }) => {
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
    const silent: string[][] = [];
    let untaken: { id: string; dispatchNumber: number }[];
    try {
      untaken = await findUntaken();
      for (const kind of KINDS) {
        silent.push(await listSilent(database, kind, { since: since[kind], limit: BATCH_SESSIONS[kind] }));
      }
    } catch (error) {
      reachableSinceMs = performance.now();
      throw error;
    }
    if (startedMs - reachableSinceMs >= graceMs) {
      const [live, starting, selfHosted] = silent;
      await dispatchAll(untaken);
      await handleAll(live, since);
      await handleAll(starting, since);
      await avatarSessions.endUnserved(since.selfHosted, UNSERVED_BATCH_SESSIONS);
      await handleAll(selfHosted, since);
    }
    // This can take a while if LiveKit answers slowly, which is not a stall.
    lastCheckMs = performance.now();
  }

  return createBackgroundLoop({ name: "silent sessions", intervalMs: policy.intervalMs, work: check, logger });
}

/** Calls `work` for each item, several at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const drain = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, drain));
}
