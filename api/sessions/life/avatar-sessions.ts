import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import {
  type EndReason,
  type HeartbeatReport,
  parseEndReason,
  type RoomReport,
  type SessionEvent,
} from "../../../shared/runtime-api.ts";
import type { TextSeal } from "../../kernel/tokens/sealed-text.ts";
import { type AvatarSession, HEARTBEAT_INTERVAL_S } from "../record/avatar-session.ts";
import { findAvatarSession, findSealedToken, markLeft } from "../record/avatar-session-store.ts";
import type { SessionServices } from "../session-services.ts";
import type { WorkerControl } from "../workers/worker-control.ts";
import { countParticipants } from "./count-participants.ts";
import { countServed, type HeartbeatOutcome, outcomeOf, takeHeartbeat, timesOf } from "./heartbeat.ts";
import { type HeldSession, roomPatch, type SessionMachine } from "./session-machine.ts";
import { isViewersOnly } from "./viewer-time.ts";

export interface AvatarSessions {
  /** Ends a session for the caller and returns it; its `leftAt` says whether the avatar is known to have left.
   *  Repeatable. */
  end(id: string, reason: EndReason): Promise<AvatarSession>;
  /** Only ends a session: its worker and room stay until `release`. Repeatable. */
  stop(id: string, reason: EndReason): Promise<StoppedSession>;
  /** Tells the worker of a session that has ended to leave, and closes its rooms. Returns the session; its `leftAt` as
   *  that of `end`. Takes seconds if LiveKit does not answer. Repeatable. */
  release(id: string, reason: EndReason, options?: { wasLive?: boolean }): Promise<AvatarSession | null>;
  /** Takes a worker's event. Returns false if the worker no longer acts for this session and must stop. */
  reportEvent(id: string, dispatchNumber: number, event: SessionEvent): Promise<boolean>;
  /** Takes a worker's heartbeat. */
  reportHeartbeat(id: string, dispatchNumber: number, heartbeat: HeartbeatReport): Promise<HeartbeatOutcome>;
  /** Dispatches another worker for a session that lost the worker of that dispatch, or ends the session. Does nothing
   *  if the session has ended or has another dispatch number. */
  replaceWorker(id: string, dispatchNumber: number): Promise<void>;
  /** Dispatches again a session that no worker has accepted. This counts no lost worker. Does nothing if one
   *  has accepted it, or if the session has another dispatch number. */
  dispatchAgain(id: string, dispatchNumber: number): Promise<void>;
  /** The caller's join token. Throws NOT_FOUND once the session has ended. */
  joinTokenOf(id: string): Promise<string>;
}

export interface StoppedSession {
  session: AvatarSession;
  /** Whether it was this call that ended it, and it has a worker of ours. */
  needsRelease: boolean;
  wasLive: boolean;
}

export interface AvatarSessionsOptions {
  services: SessionServices;
  machine: SessionMachine;
  workers: WorkerControl;
  seal: TextSeal;
}

export function createAvatarSessions({ services, machine, workers, seal }: AvatarSessionsOptions): AvatarSessions {
  const { database, logger } = services;
  const currentTime = (): Date => new Date(services.now());

  /** Dispatches the next worker of a session that `loseWorker` or `handOver` has moved. */
  async function afterLoss(session: AvatarSession): Promise<void> {
    // Removes the former worker from the control room; otherwise it could answer instead of the next worker.
    await workers.closeControlRoom(session.id);
    if (session.status !== "starting") return;
    try {
      await workers.dispatch(session);
    } catch (error) {
      logger.warn({ err: error, avatarSessionId: session.id }, "avatar worker not dispatched");
      // The watchdog dispatches again. If the LiveKit server has a forbidden address, the session ends.
      const isForbidden = isServiceError(error) && error.code === "VALIDATION_ERROR";
      if (isForbidden) await endAt(session, "join_failed");
    }
  }

  /** Ends a session if it still has the same dispatch number. */
  async function endAt({ id, dispatchNumber }: AvatarSession, reason: EndReason): Promise<void> {
    await machine.hold(id, async (held) => {
      if (held.session.dispatchNumber === dispatchNumber && held.can("end")) await held.end(reason);
    });
  }

  /** Closes the room of a hosted session that its avatar has left for good, unless the visitor left first and may come
   *  back. */
  async function releaseVisitor(id: string): Promise<void> {
    const session = await findAvatarSession(database, id);
    const isOver = session?.status === "ended" && session.endReason !== "last_user_left";
    if (session?.isHosted && isOver) await workers.closeHostedRoom(session);
  }

  /** Everyone in the room of a conversation, the avatar included; 0 for other sessions. */
  async function countInRoom(id: string, room: RoomReport | undefined): Promise<number> {
    const session = await findAvatarSession(database, id);
    if (!session?.hasConversation) return 0;
    const seenByAvatar = room?.participants ?? 0;
    const reported = { ...session, ...roomPatch(room) };
    const count = await countParticipants(services.livekit, reported).catch(() => seenByAvatar);
    return Math.max(count, seenByAvatar);
  }

  function stop(id: string, reason: EndReason): Promise<StoppedSession> {
    return machine.hold(id, async (held) => {
      const isRunning = held.can("end");
      const wasLive = held.session.status === "live";
      if (isRunning) {
        // The seconds since the last heartbeat are like those before it.
        const viewerSeconds = isViewersOnly(held.session) ? Infinity : undefined;
        await held.note({ servedDeciseconds: servedUntil(held.session, currentTime()) }, { viewerSeconds });
        await held.end(reason);
      }
      return { session: held.session, needsRelease: isRunning && !held.session.isSelfHosted, wasLive };
    });
  }

  const release: AvatarSessions["release"] = async (id, reason, { wasLive = false } = {}) => {
    const session = await findAvatarSession(database, id);
    if (!session) return null;
    const hasLeft = await workers.dismiss(id, reason, wasLive);
    const isRoomClosed = session.isHosted && (await workers.closeHostedRoom(session));
    if (hasLeft || isRoomClosed) await markLeft(database, id, currentTime());
    await workers.closeControlRoom(id);
    return findAvatarSession(database, id);
  };

  return {
    stop,
    release,

    async end(id, reason) {
      const { session, needsRelease, wasLive } = await stop(id, reason);
      if (!needsRelease) return session;
      return (await release(id, reason, { wasLive })) ?? session;
    },

    async replaceWorker(id, dispatchNumber) {
      const lost = await machine.hold(id, async (held) => {
        if (held.session.status === "ended" || held.session.dispatchNumber !== dispatchNumber) return null;
        return loseWorker(held);
      });
      if (lost !== null) await afterLoss(lost);
    },

    async dispatchAgain(id, dispatchNumber) {
      const untaken = await machine.hold(id, async (held) => {
        const { status, acceptedAt, dispatchNumber: current } = held.session;
        const isUntaken = status === "starting" && acceptedAt === null && current === dispatchNumber;
        return isUntaken ? handOver(held) : null;
      });
      if (untaken !== null) await afterLoss(untaken);
    },

    async reportEvent(id, dispatchNumber, event) {
      const participantCount = event.event === "live" ? await countInRoom(id, event.room) : 0;
      const outcome = await machine.hold(id, async (held) => {
        const { session, transaction } = held;
        if (session.dispatchNumber !== dispatchNumber) return "superseded";
        if (session.status === "ended") {
          if (event.event !== "ended") return "superseded";
          await markLeft(transaction, id, currentTime());
          return "noted";
        }
        if (event.event === "accepted") {
          if (held.can("accept")) await held.accept();
          return "noted";
        }
        if (event.event === "live") {
          if (held.can("goLive")) await held.goLive({ room: event.room, mind: event.mind, participantCount });
          return "noted";
        }
        const noted = {
          servedDeciseconds: countServed(session, event.served_seconds ?? 0, currentTime()),
          // A worker without open segments has told their senders.
          openSegments: event.open_segments ?? [],
        };
        await held.note(noted, timesOf(event));
        // An unknown reason counts as a failure of the avatar.
        const reason = parseEndReason(event.reason) ?? "model_failed";
        if (reason === "worker_draining") return handOver(held);
        if (reason === "worker_lost") return loseWorker(held);
        await held.end(reason, { hasLeft: true });
        return "ended";
      });
      if (outcome === "ended") await workers.closeControlRoom(id);
      else if (typeof outcome === "object") await afterLoss(outcome);
      if (event.event === "ended" && outcome !== "superseded") await releaseVisitor(id);
      return outcome !== "superseded";
    },

    reportHeartbeat(id, dispatchNumber, heartbeat) {
      return machine.hold(id, (held) => {
        const { status, dispatchNumber: current } = held.session;
        if (status !== "ended" && dispatchNumber !== current) return outcomeOf(held, "worker_lost");
        return takeHeartbeat(services, held, heartbeat);
      });
    },

    async joinTokenOf(id) {
      const sealed = await findSealedToken(database, id);
      if (!sealed) throw new ServiceError("NOT_FOUND", `The avatar session ${id} has ended`);
      return seal.open(sealed);
    },
  };
}

/** Gives a session that lost its worker the next dispatch number, or ends it after too many losses. Returns the
 *  session. */
async function loseWorker(held: HeldSession): Promise<AvatarSession> {
  if (held.can("redispatch")) await held.redispatch();
  else await held.end("worker_lost");
  return held.session;
}

/** Gives a session that has lost no worker the next dispatch number, or ends it after too many dispatches. Returns the
 *  session. */
async function handOver(held: HeldSession): Promise<AvatarSession> {
  if (held.can("handOver")) await held.handOver();
  else await held.end("worker_lost");
  return held.session;
}

/** Served time of a session that the api ends between two heartbeats: the time since the last one counts, up to one
 *  interval. */
function servedUntil(session: AvatarSession, now: Date): number {
  if (session.status !== "live" || session.isSelfHosted) return session.servedDeciseconds;
  const sinceHeartbeat = Math.floor((now.getTime() - session.lastSeenAt.getTime()) / 100);
  return session.servedDeciseconds + Math.max(0, Math.min(sinceHeartbeat, HEARTBEAT_INTERVAL_S * 10));
}
