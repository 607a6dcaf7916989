// The life of an avatar session: its states, its moves, and the only code that writes its status.
//
// starting  Admitted and dispatched. A cloud session holds a concurrency slot. `acceptedAt` is null until a worker has
//           accepted the current dispatch.
// live      The avatar is published, or a self-hosted runtime runs. Heartbeats report served time. A cloud session
//           holds a slot. While `vacantSince` is set it waits for its last user to return: a launch that needs its slot
//           ends it.
// ended     The slot is free, credits are charged, the join token and a photo session's portrait are deleted. Final.
//
// MOVES lists all transitions. A move asserts its row, writes the change, notifies `SESSION_CHANNEL` in the same
// transaction, and logs it after the commit. A worker acts for one dispatch number; reports of a superseded worker are
// refused before they get here.
import { sql, type Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import type { EndReason, MindKind, RoomReport } from "../../../shared/runtime-api.ts";
import type { Account } from "../../accounts/account.ts";
import { findAccount } from "../../accounts/account-store.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import { notifySlot } from "../launch/slot-channel.ts";
import { announceConversation, LEAST_PARTICIPANTS } from "../messages/announce-conversation.ts";
import { deleteContexts } from "../messages/context-store.ts";
import type { FamilyHealth } from "../readiness/family-health.ts";
import type { AvatarSession, AvatarSessionStatus } from "../record/avatar-session.ts";
import {
  deleteAvatarSession,
  findAvatarSession,
  insertAvatarSession,
  type MovePatch,
  moveAvatarSession,
  type NewAvatarSession,
  type ReportPatch,
  updateAvatarSession,
} from "../record/avatar-session-store.ts";
import { deletePortrait } from "../record/session-portraits.ts";
import { endUnserved } from "../self-hosted/self-hosted-store.ts";
import type { SessionServices } from "../session-services.ts";
import { accrueSession, chatTimePatch, settleSession } from "./metering.ts";
import { viewerTimePatch } from "./viewer-time.ts";
import "../session-events.ts";

/** Each change of a session's status is notified here; the payload is the session's id. */
export const SESSION_CHANNEL = "avatar_session";

/** Consecutive dispatches that may be lost before a session ends. */
const MAX_LOST_WORKERS = 2;

/** Most dispatches of a session that draining workers hand over. A session lasts a day at most: this allows two
 *  deployments an hour, and ends a session of workers that keep draining before it is live. */
export const MAX_DISPATCHES = 50;

/** End reasons that are failures of the service. */
const OWN_FAILURES: readonly EndReason[] = ["worker_lost", "model_failed"];

export type MoveName = "admit" | "accept" | "goLive" | "redispatch" | "handOver" | "end" | "withdraw";

interface Move {
  from: readonly (AvatarSessionStatus | "none")[];
  to: AvatarSessionStatus | "removed";
  /** Condition besides the state. */
  requires: string;
  isAllowed(session: AvatarSession): boolean;
  does: string;
}

export const MOVES: Readonly<Record<MoveName, Move>> = Object.freeze({
  admit: {
    from: ["none"],
    to: "starting",
    requires: "a launch that admission lets through",
    isAllowed: () => true,
    does: "inserts the row, which takes the slot",
  },
  accept: {
    from: ["starting"],
    to: "starting",
    requires: "a cloud session",
    isAllowed: (session) => !session.isSelfHosted,
    does: "notes that a worker has taken the present dispatch, which the launch waits for",
  },
  goLive: {
    from: ["starting"],
    to: "live",
    requires: "nothing",
    isAllowed: () => true,
    does: "starts the duration limit; publishes room.join of a conversation if a person is there",
  },
  redispatch: {
    from: ["starting", "live"],
    to: "starting",
    requires: `a cloud session with fewer than ${MAX_LOST_WORKERS} lost workers in a row`,
    isAllowed: (session) => !session.isSelfHosted && session.lostWorkers < MAX_LOST_WORKERS,
    does: "counts the lost worker, keeps the time it served, and takes the next dispatch number",
  },
  handOver: {
    from: ["starting", "live"],
    to: "starting",
    requires: `a cloud session with fewer than ${MAX_DISPATCHES} dispatches`,
    isAllowed: (session) => !session.isSelfHosted && session.dispatchNumber < MAX_DISPATCHES,
    does: "keeps the time that the draining worker served, and takes the next dispatch number; also if none accepted",
  },
  end: {
    from: ["starting", "live"],
    to: "ended",
    requires: "nothing",
    isAllowed: () => true,
    does: "charges the served time, frees the slot, forgets the join token, the portrait and added contexts",
  },
  withdraw: {
    from: ["starting"],
    to: "removed",
    requires: "a cloud session that no worker has taken and that has served nothing",
    isAllowed: ({ isSelfHosted, acceptedAt, servedDeciseconds }) =>
      !isSelfHosted && acceptedAt === null && servedDeciseconds === 0,
    does: "removes the row and the portrait of a refused launch: its slot and its launch token are free again",
  },
});

/** Parts of the served time, as a worker counts them. */
export interface ReportedTimes {
  /** Of the whole session: how long a camera was watched. */
  watchedSeconds?: number;
  /** Of the worker's own time: how long no video was streamed. */
  viewerSeconds?: number;
}

/** A session with its row locked until the transaction ends. */
export interface HeldSession {
  readonly transaction: Transaction<Tables>;
  /** The session after the last move or note. */
  readonly session: AvatarSession;
  /** Whether a move is possible now. */
  can(move: MoveName): boolean;
  /** Writes what a worker reported; nothing if the session has ended. Parts of the served time count for the chat line
   *  or the camera line, too (`chatTimePatch`), or as time without video (`viewerTimePatch`). Publishes room.join of a
   *  conversation once its room has a person besides the avatar. */
  note(patch: ReportPatch, times?: ReportedTimes): Promise<void>;
  /** The moves of the table. Each throws an Error if its row does not allow it. */
  accept(): Promise<void>;
  goLive(seen?: { room?: RoomReport; mind?: MindKind; participantCount?: number }): Promise<void>;
  redispatch(): Promise<void>;
  handOver(): Promise<void>;
  /** `hasLeft`: whether the avatar is known to have left its room. Default false. */
  end(reason: EndReason, options?: { hasLeft?: boolean }): Promise<void>;
  withdraw(): Promise<void>;
}

export interface SessionMachine {
  /** The move `admit`, in admission's own transaction. */
  admit(transaction: Transaction<Tables>, session: NewAvatarSession): Promise<AvatarSession>;
  /** Runs `work` with the session's row locked, in one transaction. Throws NOT_FOUND if no such session exists. */
  hold<T>(id: string, work: (held: HeldSession) => Promise<T>): Promise<T>;
  /** The move `end` for many self-hosted sessions at once: those without served time that last reported before `since`.
   *  Returns how many ended, at most `limit`. */
  endUnserved(since: Date, limit: number): Promise<number>;
}

export interface SessionMachineOptions {
  services: SessionServices;
  health: FamilyHealth;
}

export function createSessionMachine({ services, health }: SessionMachineOptions): SessionMachine {
  const { database, events, links, logger, sessionMetrics } = services;
  const currentTime = (): Date => new Date(services.now());

  function holdInTransaction(
    transaction: Transaction<Tables>,
    locked: AvatarSession,
    afterCommit: (() => void | Promise<void>)[],
  ): HeldSession {
    let session = locked;

    const nextDispatch = ({ dispatchNumber, servedDeciseconds, viewerDeciseconds }: AvatarSession) => ({
      dispatchNumber: dispatchNumber + 1,
      lastHeartbeatSeq: 0,
      earlierDeciseconds: servedDeciseconds,
      earlierViewerDeciseconds: viewerDeciseconds,
      lastSeenAt: currentTime(),
      acceptedAt: null,
      vacantSince: null,
    });

    const can = (name: MoveName): boolean =>
      MOVES[name].from.includes(session.status) && MOVES[name].isAllowed(session);

    /** Publishes room.join if that is due. */
    async function announce(participantCount: number): Promise<void> {
      if (session.status !== "live" || participantCount < LEAST_PARTICIPANTS) return;
      const announcement = { session, participantCount, at: currentTime() };
      const announcedAt = await announceConversation(transaction, events, announcement);
      session = { ...session, announcedAt: session.announcedAt ?? announcedAt };
    }

    async function move(name: Exclude<MoveName, "admit">, patch: MovePatch, details: object = {}): Promise<void> {
      const { from, to, requires } = MOVES[name];
      if (!can(name)) {
        const needs = `${from.join(" or ")}, and ${requires}`;
        throw new Error(`avatar session ${session.id} is ${session.status}: the move ${name} needs ${needs}`);
      }
      if (to === "removed") await deleteAvatarSession(transaction, session.id);
      else await moveAvatarSession(transaction, session.id, { from: session.status, to, patch });
      const before = session.status;
      session = to === "removed" ? session : { ...session, ...patch, status: to };
      await notify(transaction, session.id);
      if (to === "ended" || to === "removed") await notifySlot(transaction);
      const fields = { avatarSessionId: session.id, move: name, from: before, to, ...details };
      afterCommit.push(() => logger.info(fields, "avatar session moved"));
    }

    return {
      transaction,
      get session() {
        return session;
      },
      can,

      async note(patch, { watchedSeconds, viewerSeconds } = {}) {
        if (session.status === "ended") return;
        const before = session.servedDeciseconds;
        if (patch.vacantSince && session.vacantSince === null) await notifySlot(transaction);
        const more = (patch.servedDeciseconds ?? before) - before;
        const metered = {
          ...patch,
          ...chatTimePatch(session, more, watchedSeconds),
          ...viewerTimePatch(session, more, viewerSeconds),
        };
        await updateAvatarSession(transaction, session.id, metered);
        session = { ...session, ...metered };
        // First, because the accrual locks the balance, and nothing may be locked after it.
        await announce(patch.roomParticipants ?? 0);
        // Credits of running sessions count as spent at once.
        if (session.servedDeciseconds !== before) await accrueSession(transaction, session);
      },

      async accept() {
        const at = currentTime();
        const isFirst = session.acceptedAt === null && session.dispatchNumber === 1;
        await move("accept", { acceptedAt: session.acceptedAt ?? at, lastSeenAt: at });
        if (isFirst) afterCommit.push(() => sessionMetrics.observeStart("accepted", session, at));
      },

      async goLive({ room, mind, participantCount = 1 } = {}) {
        const at = currentTime();
        const isFirst = session.liveAt === null;
        await move("goLive", {
          liveAt: session.liveAt ?? at,
          acceptedAt: session.acceptedAt ?? at,
          lastSeenAt: at,
          ...(session.hasConversation && { mind: mind ?? "none" }),
          ...roomPatch(room),
        });
        if (session.isSelfHosted) return;
        afterCommit.push(() => health.noteStart(session.family));
        if (isFirst) afterCommit.push(() => sessionMetrics.observeStart("live", session, at));
        await announce(participantCount);
      },

      async redispatch() {
        const patch = { ...nextDispatch(session), lostWorkers: session.lostWorkers + 1 };
        await move("redispatch", patch, { dispatchNumber: patch.dispatchNumber });
        afterCommit.push(() => sessionMetrics.countWorkerChange("lost"));
      },

      async handOver() {
        const patch = nextDispatch(session);
        await move("handOver", patch, { dispatchNumber: patch.dispatchNumber });
        afterCommit.push(() => sessionMetrics.countWorkerChange("drained"));
      },

      async end(reason, { hasLeft = false } = {}) {
        const at = currentTime();
        const account = await requireAccount(transaction, session.userId);
        const credits = await settleSession(transaction, { session, account, links, at });
        const servedSeconds = session.servedDeciseconds / 10;
        const patch = { endReason: reason, endedAt: at, credits, leftAt: hasLeft ? at : null };
        await move("end", patch, { reason, servedSeconds });
        await deleteContexts(transaction, session.id);
        afterCommit.push(() => sessionMetrics.countEnd(reason));
        afterCommit.push(() => {
          if (OWN_FAILURES.includes(reason)) health.noteFailure(session.family);
        });
        afterCommit.push(() => deletePortrait(services, session));
      },

      async withdraw() {
        await move("withdraw", {});
        afterCommit.push(() => deletePortrait(services, session));
      },
    };
  }

  return {
    async admit(transaction, session) {
      const admitted = await insertAvatarSession(transaction, session);
      await notify(transaction, admitted.id);
      return admitted;
    },

    async hold(id, work) {
      const afterCommit: (() => void | Promise<void>)[] = [];
      const result = await database.transaction().execute(async (transaction) => {
        const session = await findAvatarSession(transaction, id, { lock: true });
        if (!session) throw new ServiceError("NOT_FOUND", `No avatar session ${id}`);
        return work(holdInTransaction(transaction, session, afterCommit));
      });
      for (const act of afterCommit) await act();
      return result;
    },

    async endUnserved(since, limit) {
      const ids = await database.transaction().execute(async (transaction) => {
        const ended = await endUnserved(transaction, { since, limit, at: currentTime() });
        for (const id of ended) await notify(transaction, id);
        return ended;
      });
      if (ids.length > 0) logger.info({ sessions: ids.length }, "unserved self-hosted sessions ended");
      return ids.length;
    },
  };
}

/** Columns of a room report; empty without a report. */
export function roomPatch(room: RoomReport | undefined): ReportPatch {
  if (room === undefined) return {};
  const { participants: roomParticipants, created_at: createdAtS } = room;
  return { roomParticipants, ...(createdAtS !== undefined && { roomCreatedAt: new Date(createdAtS * 1000) }) };
}

/** The account of a session. Accounts outlive their sessions. */
export async function requireAccount(database: Queryable, userId: string): Promise<Account> {
  const account = await findAccount(database, userId);
  if (!account) throw new Error(`account ${userId} of a running avatar session is gone`);
  return account;
}

async function notify(transaction: Transaction<Tables>, id: string): Promise<void> {
  await sql`select pg_notify(${SESSION_CHANNEL}, ${id})`.execute(transaction);
}
