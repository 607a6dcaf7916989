// Finds avatar sessions whose worker has gone silent, and sends another or ends them. Every api process looks; the row lock in
// `replaceWorker` lets one act, and acting moves the session's last sign of life, so the others find nothing to do.
import type { BackgroundService, Services } from "../services.ts";
import { BEAT_INTERVAL_S, SELF_HOSTED_GRACE_S } from "./avatar-session.ts";
import { findAvatarSession, listSilent } from "./avatar-session-store.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";

const LOOK_INTERVAL_MS = 2_000;
/** A worker that has not gone live by then is taken for lost; a busy machine needs several seconds to start one. */
const STARTING_TIMEOUT_S = 30;
/** Four beats missed in a row. */
const LIVE_TIMEOUT_S = 4 * BEAT_INTERVAL_S;
const BATCH = 20;

export interface SessionWatchdogOptions {
  services: Services;
  avatarSessions: AvatarSessions;
  /** Overrides for tests, in seconds. */
  startingTimeoutS?: number;
  liveTimeoutS?: number;
}

/** A watchdog; it looks every two seconds from `start()` on. */
export function createSessionWatchdog(options: SessionWatchdogOptions): BackgroundService {
  const { services, avatarSessions } = options;
  const { database, logger } = services;
  const startingTimeoutMs = (options.startingTimeoutS ?? STARTING_TIMEOUT_S) * 1000;
  const liveTimeoutMs = (options.liveTimeoutS ?? LIVE_TIMEOUT_S) * 1000;
  let timer: NodeJS.Timeout | null = null;
  let look: Promise<void> = Promise.resolve();

  /** When each silence must have begun to count. */
  function limits() {
    const now = services.now();
    return {
      starting: new Date(now - startingTimeoutMs),
      live: new Date(now - liveTimeoutMs),
      selfHosted: new Date(now - SELF_HOSTED_GRACE_S * 1000),
    };
  }

  async function lookOnce(): Promise<void> {
    const since = limits();
    for (const id of await listSilent(database, since, BATCH)) {
      const session = await findAvatarSession(database, id);
      if (!session || session.status === "ended") continue;
      // Several processes saw the same silence: one of them may have acted between the two queries.
      const limit = session.isSelfHosted ? since.selfHosted : since[session.status];
      if (session.lastSeenAt >= limit) continue;
      if (session.isSelfHosted) await avatarSessions.end(id, "worker_lost");
      else await avatarSessions.replaceWorker(id, session.dispatchNumber);
    }
  }

  function schedule(): void {
    timer = setTimeout(() => {
      look = lookOnce()
        .catch((error: unknown) => logger.error({ err: error }, "looking for silent avatar sessions failed"))
        .finally(() => {
          if (timer !== null) schedule();
        });
    }, LOOK_INTERVAL_MS);
  }

  return {
    async start() {
      schedule();
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await look;
    },
  };
}
