// Finds avatar sessions whose worker has gone silent, and sends another or ends them. Every api process looks; the row lock in
// `replaceWorker` lets one act, and acting moves the session's last sign of life, so the others find nothing to do.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { BackgroundService } from "../kernel/module.ts";
import { type AvatarSession, BEAT_INTERVAL_S, SELF_HOSTED_GRACE_S } from "./avatar-session.ts";
import { findAvatarSession, listSilent } from "./avatar-session-store.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";
import type { SessionServices } from "./session-services.ts";

const LOOK_INTERVAL_MS = 2_000;
/** A worker that has not gone live by then is taken for lost; a busy machine needs several seconds to start one. */
const STARTING_TIMEOUT_S = 30;
/** By then a worker is at least in the control room; if it is not, the dispatch went to a process that was already dead. */
const ARRIVAL_TIMEOUT_S = 12;
/** Three beats missed in a row. LiveKit itself shows a killed process as present for longer (20 s measured). */
const LIVE_TIMEOUT_S = 3 * BEAT_INTERVAL_S;
/** Looks further apart than this mean that the process was held up, and beats with it. */
const STALL_MS = 3 * LOOK_INTERVAL_MS;
const BATCH = 20;

export interface SessionWatchdogOptions {
  services: SessionServices;
  avatarSessions: AvatarSessions;
  /** How long beats must have been possible before their absence counts, in ms. Default 15 s. */
  graceMs?: number;
}

/** A watchdog; it looks two seconds after the end of each look. While the api or its database was away no beat could arrive, so
 *  after a start, a failed look or a stall it first gives workers time to be heard. */
export function createSessionWatchdog(options: SessionWatchdogOptions): BackgroundService {
  const { services, avatarSessions, graceMs = LIVE_TIMEOUT_S * 1000 } = options;
  const { database, livekit, logger } = services;
  /** Monotonic times, in ms: since when beats could arrive, and when that was last seen. */
  let reachableSinceMs = performance.now();
  let lastLookMs = performance.now();

  /** When each silence must have begun to be looked into. */
  function limits() {
    const now = services.now();
    return {
      starting: new Date(now - ARRIVAL_TIMEOUT_S * 1000),
      live: new Date(now - LIVE_TIMEOUT_S * 1000),
      selfHosted: new Date(now - SELF_HOSTED_GRACE_S * 1000),
    };
  }

  /** Whether a session that has been silent for too long has no worker that could still be heard. */
  async function isLost(session: AvatarSession): Promise<boolean> {
    if (session.status !== "starting") return true;
    if (services.now() - session.lastSeenAt.getTime() > STARTING_TIMEOUT_S * 1000) return true;
    return !(await livekit.hasWorker(session.id));
  }

  async function lookOnce(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs - lastLookMs > STALL_MS) reachableSinceMs = startedMs;
    lastLookMs = startedMs;
    const since = limits();
    let silent: string[];
    try {
      silent = await listSilent(database, since, BATCH);
    } catch (error) {
      reachableSinceMs = performance.now();
      throw error;
    }
    if (startedMs - reachableSinceMs < graceMs) return;
    for (const id of silent) {
      const session = await findAvatarSession(database, id);
      if (!session || session.status === "ended") continue;
      // Several processes saw the same silence: one of them may have acted between the two queries.
      const limit = session.isSelfHosted ? since.selfHosted : since[session.status];
      if (session.lastSeenAt >= limit || !(await isLost(session))) continue;
      if (session.isSelfHosted) await avatarSessions.end(id, "worker_lost");
      else await avatarSessions.replaceWorker(id, session.dispatchNumber);
    }
    // Acting can take a while when LiveKit is slow to answer; that is no stall.
    lastLookMs = performance.now();
  }

  return createBackgroundLoop({ name: "silent sessions", intervalMs: LOOK_INTERVAL_MS, work: lookOnce, logger });
}
