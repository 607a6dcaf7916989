// The life of avatar sessions: what workers report, and every way to an end. How they begin is in `launcher.ts`, their states are in
// `avatar-session.ts`.
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import { type Beat, END_REASONS, type EndReason, type SessionEvent } from "../../shared/runtime-api.ts";
import { RPC_END } from "../../shared/wire-names.ts";
import type { Account } from "../accounts/account.ts";
import { findBySecretId } from "../accounts/account-store.ts";
import { balanceOf } from "../accounts/credits/ledger.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import type { Tables } from "../kernel/database/database.ts";
import type { TextSeal } from "../kernel/tokens/sealed-text.ts";
import { type AvatarSession, BEAT_INTERVAL_S, isOverdue } from "./avatar-session.ts";
import { findAvatarSession, findSealedToken, updateAvatarSession } from "./avatar-session-store.ts";
import { countParticipants } from "./count-participants.ts";
import type { FamilyHealth } from "./family-health.ts";
import { createLauncher, type Launcher } from "./launch/launcher.ts";
import { accrueSession } from "./metering.ts";
import { createSessionChanges, requireAccount } from "./session-changes.ts";
import type { SessionServices } from "./session-services.ts";
import "./session-events.ts";

/** Workers asked for again in a row before a session is given up. */
const MAX_LOST_WORKERS = 2;
/** A worker that has served this long was no part of a row of failures. */
const SERVED_WELL_DECISECONDS = 600;
/** How far a worker's count of served time may run ahead of our clock, for rounding and start-up. */
const SERVED_SLACK_DECISECONDS = 20;
const END_RPC_TIMEOUT_MS = 2_000;

export interface BeatOutcome {
  session: AvatarSession;
  /** Why the worker has to stop, or null. */
  stop: EndReason | null;
  /** Credits left, running sessions counted. */
  balance: number;
  account: Account;
}

export interface AvatarSessions extends Launcher {
  /** Ends a session for the caller. Returns the session, and whether its worker has confirmed that it leaves. Repeatable. */
  end(id: string, reason: EndReason): Promise<{ session: AvatarSession; hasLeft: boolean }>;
  /** Takes a worker's event. Returns false if the worker no longer acts for this session and has to stop. */
  reportEvent(id: string, dispatchNumber: number, event: SessionEvent): Promise<boolean>;
  /** Takes a beat; `dispatchNumber` is null for a self-hosted runtime. */
  reportBeat(id: string, dispatchNumber: number | null, beat: Beat): Promise<BeatOutcome>;
  /** Ends a self-hosted session with its last count of served time. Repeatable. */
  stopSelfHosted(id: string, servedSeconds: number): Promise<AvatarSession>;
  /** Sends another worker for a session whose worker of that dispatch is gone, or gives it up. Does nothing if that happened. */
  replaceWorker(id: string, dispatchNumber: number): Promise<void>;
  /** The caller's join token. Throws NOT_FOUND once the session has ended. */
  joinTokenOf(id: string): Promise<string>;
}

export interface AvatarSessionsOptions {
  services: SessionServices;
  health: FamilyHealth;
  seal: TextSeal;
}

export function createAvatarSessions({ services, health, seal }: AvatarSessionsOptions): AvatarSessions {
  const { database, events, livekit, logger } = services;
  const changes = createSessionChanges({ services, health });
  const { change, closeControlRoom, enterEnded, sendWorker } = changes;
  const currentTime = (): Date => new Date(services.now());

  async function replaceWorker(id: string, dispatchNumber: number): Promise<void> {
    const next = await change(id, async (transaction, session) => {
      if (session.status === "ended" || session.dispatchNumber !== dispatchNumber) return "settled";
      if (session.lostWorkers >= MAX_LOST_WORKERS) {
        await enterEnded(transaction, session, "worker_lost");
        return null;
      }
      const patch = {
        status: "starting" as const,
        dispatchNumber: session.dispatchNumber + 1,
        lostWorkers: session.lostWorkers + 1,
        lastBeatSeq: 0,
        earlierDeciseconds: session.servedDeciseconds,
        lastSeenAt: currentTime(),
        acceptedAt: null,
      };
      await updateAvatarSession(transaction, id, patch);
      logger.warn({ avatarSessionId: id, dispatchNumber: patch.dispatchNumber }, "avatar worker lost");
      return { ...session, ...patch };
    });
    if (next === "settled") return;
    // Whoever is still in the control room is the worker that was given up; it must not answer for the next one.
    await closeControlRoom(id);
    if (!next) return;
    // If this fails the session stays silent, and the watchdog comes back to it: that is one more lost worker.
    await sendWorker(next).catch((error: unknown) => {
      logger.warn({ err: error, avatarSessionId: id }, "avatar worker could not be asked for");
    });
  }

  async function stopReason(transaction: Transaction<Tables>, session: AvatarSession): Promise<EndReason | null> {
    const account = await requireAccount(transaction, session.userId);
    const owner = session.secretId === null ? null : await findBySecretId(transaction, session.secretId);
    if (session.secretId !== null && (!owner || owner.isRevoked)) return "secret_revoked";
    if (account.isRuntimeSuspended || account.status === "suspended") return "terminated";
    if (isOverdue(session, currentTime())) return "duration_limit";
    if (PLAN_LIMITS[account.plan].isAdmissionFree) return null;
    return (await balanceOf(transaction, session.userId)).total <= 0 ? "balance_exhausted" : null;
  }

  /** Participants of a session's room, itself included; 1 where nobody can tell. */
  async function countInRoomOf(id: string): Promise<number> {
    const session = await findAvatarSession(database, id);
    const count = session ? await countParticipants(livekit, session).catch(() => 1) : 1;
    return Math.max(1, count);
  }

  return {
    ...createLauncher({ services, changes, seal }),
    replaceWorker,

    async end(id, reason) {
      const { session, wasRunning } = await change(id, async (transaction, current) => {
        if (current.status === "ended") return { session: current, wasRunning: false };
        const served = { ...current, servedDeciseconds: servedUntil(current, currentTime()) };
        await updateAvatarSession(transaction, id, { servedDeciseconds: served.servedDeciseconds });
        return { session: await enterEnded(transaction, served, reason), wasRunning: true };
      });
      if (!wasRunning || session.isSelfHosted) return { session, hasLeft: !session.isSelfHosted };
      const hasLeft = await livekit.callWorker(id, RPC_END, JSON.stringify({ reason }), END_RPC_TIMEOUT_MS).then(
        () => true,
        () => false, // Not there, or too slow: its next beat tells it to stop.
      );
      await closeControlRoom(id);
      return { session, hasLeft };
    },

    async reportEvent(id, dispatchNumber, event) {
      const participantCount = event.event === "live" ? await countInRoomOf(id) : 0;
      const outcome = await change(id, async (transaction, session) => {
        if (session.status === "ended" || dispatchNumber !== session.dispatchNumber) return "superseded";
        if (event.event === "accepted") {
          const now = currentTime();
          const acceptedAt = session.acceptedAt ?? now;
          if (session.status === "starting")
            await updateAvatarSession(transaction, id, { acceptedAt, lastSeenAt: now });
          return "noted";
        }
        if (event.event === "live") {
          if (session.status === "live") return "noted";
          const now = currentTime();
          await updateAvatarSession(transaction, id, {
            status: "live",
            liveAt: session.liveAt ?? now,
            acceptedAt: session.acceptedAt ?? now,
            lastSeenAt: now,
          });
          health.record(session.family, true);
          logger.info({ avatarSessionId: id, dispatchNumber }, "avatar session live");
          // A worker that takes over from a lost one joins the same conversation.
          if (session.liveAt === null) {
            const { userId, agentCode, roomName } = session;
            const join = { userId, avatarSessionId: id, agentCode, roomName, participantCount, at: now };
            await events.publish(transaction, "room.join", join);
          }
          return "noted";
        }
        const servedDeciseconds = countServed(session, event.served_seconds ?? 0, currentTime());
        await updateAvatarSession(transaction, id, { servedDeciseconds });
        const reason = endReasonOf(event.reason);
        // A worker that has to go leaves a session that need not: another takes over.
        if (reason === "worker_draining") {
          await accrueSession(transaction, { ...session, servedDeciseconds });
          return "replace";
        }
        await enterEnded(transaction, { ...session, servedDeciseconds }, reason);
        return "ended";
      });
      if (outcome === "replace") await replaceWorker(id, dispatchNumber);
      if (outcome === "ended") await closeControlRoom(id);
      return outcome !== "superseded";
    },

    reportBeat(id, dispatchNumber, beat) {
      return change(id, async (transaction, session) => {
        const account = await requireAccount(transaction, session.userId);
        const answer = async (current: AvatarSession, stop: EndReason | null): Promise<BeatOutcome> => ({
          session: current,
          stop,
          balance: (await balanceOf(transaction, session.userId)).total,
          account,
        });
        if (session.status === "ended") return answer(session, session.endReason ?? "terminated");
        if (dispatchNumber !== null && dispatchNumber !== session.dispatchNumber) return answer(session, "worker_lost");
        const now = currentTime();
        const isRepeat = beat.seq <= session.lastBeatSeq;
        const servedDeciseconds = isRepeat ? session.servedDeciseconds : countServed(session, beat.served_seconds, now);
        const hasServedWell = servedDeciseconds - session.earlierDeciseconds >= SERVED_WELL_DECISECONDS;
        const patch = {
          servedDeciseconds,
          lastBeatSeq: Math.max(beat.seq, session.lastBeatSeq),
          lastSeenAt: now,
          lostWorkers: hasServedWell ? 0 : session.lostWorkers,
        };
        await updateAvatarSession(transaction, id, patch);
        const current = { ...session, ...patch };
        await accrueSession(transaction, current);
        const stop = await stopReason(transaction, current);
        return answer(stop ? await enterEnded(transaction, current, stop) : current, stop);
      });
    },

    stopSelfHosted(id, servedSeconds) {
      return change(id, async (transaction, session) => {
        if (session.status === "ended") return session;
        const servedDeciseconds = countServed(session, servedSeconds, currentTime());
        await updateAvatarSession(transaction, id, { servedDeciseconds });
        return enterEnded(transaction, { ...session, servedDeciseconds }, "ended_by_api");
      });
    },

    async joinTokenOf(id) {
      const sealed = await findSealedToken(database, id);
      if (!sealed) throw new ServiceError("NOT_FOUND", `The avatar session ${id} has ended`);
      return seal.open(sealed);
    },
  };
}

/** Served time after a worker's report: it never goes back, and never beyond the time that has passed since the session began. */
function countServed(session: AvatarSession, reportedSeconds: number, now: Date): number {
  const reported = session.earlierDeciseconds + Math.round(reportedSeconds * 10);
  const elapsed = Math.ceil((now.getTime() - session.createdAt.getTime()) / 100) + SERVED_SLACK_DECISECONDS;
  return Math.max(session.servedDeciseconds, Math.min(reported, elapsed));
}

/** Served time of a session that we end between two beats: the worker has been at it since the last one. */
function servedUntil(session: AvatarSession, now: Date): number {
  if (session.status !== "live" || session.isSelfHosted) return session.servedDeciseconds;
  const sinceBeat = Math.floor((now.getTime() - session.lastSeenAt.getTime()) / 100);
  return session.servedDeciseconds + Math.max(0, Math.min(sinceBeat, BEAT_INTERVAL_S * 10));
}

/** A worker's reason, or `model_failed` for one that we do not know. */
function endReasonOf(reason: string | undefined): EndReason {
  return END_REASONS.find((known) => known === reason) ?? "model_failed";
}
