// Self-hosted sessions: the caller's own runtime renders the avatar, and reports what it has served. They have no room
// of ours, no worker and no slot.
//
// live    From `begin` on. Heartbeats report served time. -> ended
// ended   Stopped by its runtime, ended by its owner or by a heartbeat's answer, or silent for too long. Final.
//
// Both states are written by `session-machine.ts`, as of all sessions.
import type { HeartbeatReport } from "../../../shared/runtime-api.ts";
import { countServed, type HeartbeatOutcome, takeHeartbeat } from "../life/heartbeat.ts";
import type { SessionMachine } from "../life/session-machine.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { markLeft } from "../record/avatar-session-store.ts";
import type { SessionServices } from "../session-services.ts";
import { admitSelfHosted, type SelfHostedRequest } from "./self-hosted-admission.ts";
import { listSilentSelfHosted } from "./self-hosted-store.ts";

/** Silent sessions that end in one check: those that have served nothing, together, and others, one by one. */
const UNSERVED_BATCH_SESSIONS = 5_000;
const SILENT_BATCH_SESSIONS = 20;

export interface SelfHostedSessions {
  /** Begins a session, or finds the one that the same exchange of a launch token has begun. Throws the contract's
   *  refusals. */
  begin(request: SelfHostedRequest): Promise<AvatarSession>;
  /** Takes a heartbeat of the runtime. */
  reportHeartbeat(id: string, heartbeat: HeartbeatReport): Promise<HeartbeatOutcome>;
  /** Ends a session with its last count of served time. Repeatable. */
  stop(id: string, servedSeconds: number): Promise<AvatarSession>;
  /** Ends some of the sessions that last reported before `since`. */
  endSilent(since: Date): Promise<void>;
}

export function createSelfHostedSessions(services: SessionServices, machine: SessionMachine): SelfHostedSessions {
  const { database, logger } = services;
  const currentTime = (): Date => new Date(services.now());

  return {
    async begin(request) {
      const { session, isNew } = await admitSelfHosted(services, machine, request);
      if (!isNew) return session;
      return machine.hold(session.id, async (held) => {
        await held.goLive();
        return held.session;
      });
    },

    reportHeartbeat(id, heartbeat) {
      return machine.hold(id, async (held) => {
        // The answer tells the runtime to stop.
        if (held.session.status === "ended") await markLeft(held.transaction, id, currentTime());
        return takeHeartbeat(services, held, heartbeat);
      });
    },

    stop(id, servedSeconds) {
      return machine.hold(id, async (held) => {
        if (held.can("end")) {
          await held.note({ servedDeciseconds: countServed(held.session, servedSeconds, currentTime()) });
          await held.end("ended_by_api", { hasLeft: true });
        } else if (held.session.status === "ended") await markLeft(held.transaction, id, currentTime());
        return held.session;
      });
    },

    async endSilent(since) {
      await machine.endUnserved(since, UNSERVED_BATCH_SESSIONS);
      for (const id of await listSilentSelfHosted(database, { since, limit: SILENT_BATCH_SESSIONS })) {
        try {
          await machine.hold(id, async (held) => {
            // Another process may have acted since the list was read.
            if (held.session.lastSeenAt < since && held.can("end")) await held.end("worker_lost");
          });
        } catch (error) {
          logger.error({ err: error, avatarSessionId: id }, "silent session not handled");
        }
      }
    },
  };
}
