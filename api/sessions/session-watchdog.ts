// Finds avatar sessions whose worker has gone silent, and sends another or ends them. Every api process looks; the row lock in
// `replaceWorker` lets one act, and acting moves the session's last sign of life, so the others find nothing to do.
import { createBackgroundLoop } from "../kernel/background-loop.ts";
import type { BackgroundService } from "../kernel/module.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { findAvatarSession, listSilent } from "./avatar-session-store.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";
import type { SessionServices } from "./session-services.ts";

/** Checks that are this many intervals apart mean that the process was held up, and heartbeats with it. */
const STALL_INTERVALS = 3;
const BATCH = 20;

export interface SessionWatchdogOptions {
  services: SessionServices;
  avatarSessions: AvatarSessions;
  /** How long beats must have been possible before their absence counts, in ms. Default: the policy's. */
  graceMs?: number;
}

/** A watchdog; it checks at the interval of its policy. While the api or its database was away no beat could arrive, so
 *  after a start, a failed look or a stall it first gives workers time to be heard. */
export function createSessionWatchdog(options: SessionWatchdogOptions): BackgroundService {
  const { services, avatarSessions } = options;
  const policy = services.policies.watchdog;
  const graceMs = options.graceMs ?? policy.graceMs;
  const { database, livekit, logger } = services;
  /** Monotonic times, in ms: since when beats could arrive, and when that was last seen. */
  let reachableSinceMs = performance.now();
  let lastLookMs = performance.now();

  /** When each silence must have begun to be looked into. */
  function limits() {
    const now = services.now();
    return {
      starting: new Date(now - policy.arrivalTimeoutMs),
      live: new Date(now - policy.liveTimeoutMs),
      selfHosted: new Date(now - policy.selfHostedTimeoutMs),
    };
  }

  /** Whether a session that has been silent for too long has no worker that could still be heard. */
  async function isLost(session: AvatarSession): Promise<boolean> {
    if (session.status !== "starting") return true;
    if (services.now() - session.lastSeenAt.getTime() > policy.startingTimeoutMs) return true;
    return !(await livekit.hasWorker(session.id));
  }

  async function lookOnce(): Promise<void> {
    const startedMs = performance.now();
    if (startedMs - lastLookMs > STALL_INTERVALS * policy.intervalMs) reachableSinceMs = startedMs;
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

  return createBackgroundLoop({ name: "silent sessions", intervalMs: policy.intervalMs, work: lookOnce, logger });
}
