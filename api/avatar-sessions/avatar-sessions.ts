// The life of avatar sessions: launch, what workers report, and every way to an end. The states are in `avatar-session.ts`.
import { setTimeout as delay } from "node:timers/promises";
import type { Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import {
  type Beat,
  type DispatchMetadata,
  END_REASONS,
  type EndReason,
  type SessionEvent,
} from "../../shared/runtime-api.ts";
import { RPC_END } from "../../shared/wire-names.ts";
import type { Account } from "../accounts/account.ts";
import { findAccount, findBySecretId } from "../accounts/account-store.ts";
import { balanceOf } from "../accounts/ledger.ts";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import type { Queryable, Tables } from "../database/database.ts";
import type { Services } from "../services.ts";
import type { TextSeal } from "../tokens/sealed-text.ts";
import { publishRoomEvent } from "../webhooks/publish-event.ts";
import { type Admission, type AdmissionRequest, admit } from "./admission.ts";
import { type AvatarSession, BEAT_INTERVAL_S, isOverdue } from "./avatar-session.ts";
import {
  findAvatarSession,
  findSealedToken,
  markEnded,
  releaseLaunchToken,
  updateAvatarSession,
} from "./avatar-session-store.ts";
import { countParticipants } from "./count-participants.ts";
import type { FamilyHealth } from "./family-health.ts";
import { accruedByAccount, settleSession } from "./metering.ts";

/** Workers asked for again in a row before a session is given up. */
const MAX_LOST_WORKERS = 2;
/** A worker that has served this long was no part of a row of failures. */
const SERVED_WELL_DECISECONDS = 600;
/** How far a worker's count of served time may run ahead of our clock, for rounding and start-up. */
const SERVED_SLACK_DECISECONDS = 20;
const END_RPC_TIMEOUT_MS = 2_000;
/** A worker with room takes a dispatch in 0.1 s (measured), on a machine under load in a second or two. */
const ACCEPTANCE_PATIENCE_MS = 5_000;
const ACCEPTANCE_POLL_MS = 60;
/** What a launch that found no worker is told to wait. */
const CAPACITY_RETRY_AFTER_SECONDS = 5;
/** Ends that are ours to answer for, as opposed to the caller's doing. */
const OWN_FAILURES: readonly EndReason[] = ["worker_lost", "model_failed"];

export type LaunchRequest = Omit<
  AdmissionRequest,
  "sealedLivekitToken" | "pausedModels" | "links" | "now" | "hasImage" | "isSelfHosted"
> & {
  /** The caller's join token for the avatar. */
  livekitToken: string;
  /** The face of a photo session, checked to be a picture. */
  image: Uint8Array | null;
};

export type SelfHostedRequest = Pick<AdmissionRequest, "account" | "secretId" | "agentCode" | "model"> & {
  host: string;
};

export interface BeatOutcome {
  session: AvatarSession;
  /** Why the worker has to stop, or null. */
  stop: EndReason | null;
  /** Credits left, running sessions counted. */
  balance: number;
  account: Account;
}

export interface AvatarSessions {
  /** Admits and dispatches a session, or returns the one that a repeated request already started; resolves once a worker has taken
   *  it. Throws the contract's refusals, and SERVICE_UNAVAILABLE when no worker could be asked for or none has room: then nothing
   *  is left behind. */
  launch(request: LaunchRequest): Promise<AvatarSession>;
  /** Admits a session that the caller runs on a machine of its own. */
  startSelfHosted(request: SelfHostedRequest): Promise<AvatarSession>;
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
  services: Services;
  health: FamilyHealth;
  seal: TextSeal;
}

export function createAvatarSessions({ services, health, seal }: AvatarSessionsOptions): AvatarSessions {
  const { database, livekit, links, logger, storage, tokens, config } = services;
  const currentTime = (): Date => new Date(services.now());

  /** Runs a change with the session's row held. */
  function change<T>(
    id: string,
    work: (transaction: Transaction<Tables>, session: AvatarSession) => Promise<T>,
  ): Promise<T> {
    return database.transaction().execute(async (transaction) => {
      const session = await findAvatarSession(transaction, id, { lock: true });
      if (!session) throw new ServiceError("NOT_FOUND", `No avatar session ${id}`);
      return work(transaction, session);
    });
  }

  /** The one way into `ended`. */
  async function enterEnded(
    transaction: Transaction<Tables>,
    session: AvatarSession,
    reason: EndReason,
  ): Promise<AvatarSession> {
    const at = currentTime();
    const account = await requireAccount(transaction, session.userId);
    const credits = await settleSession(transaction, session, account, links, at);
    await markEnded(transaction, session.id, { reason, at, credits });
    logger.info(
      { avatarSessionId: session.id, reason, servedSeconds: session.servedDeciseconds / 10 },
      "avatar session ended",
    );
    if (OWN_FAILURES.includes(reason)) health.record(session.family, false);
    return { ...session, status: "ended", endReason: reason, endedAt: at, credits };
  }

  async function sendWorker(session: AvatarSession): Promise<void> {
    const claims = { sub: session.id, dispatch: session.dispatchNumber };
    const metadata: DispatchMetadata = {
      avatar_session_id: session.id,
      runtime_token: (await tokens.runtimeSession.mint(claims)).token,
      api_url: config.publicUrl,
    };
    await livekit.dispatchWorker(session.id, JSON.stringify(metadata));
    logger.info({ avatarSessionId: session.id, dispatchNumber: session.dispatchNumber }, "avatar worker asked for");
  }

  /** The control room goes with its session; left over, it would only wait for LiveKit's own empty-room timeout. */
  async function closeControlRoom(id: string): Promise<void> {
    await livekit.closeControlRoom(id).catch((error: unknown) => {
      logger.warn({ err: error, avatarSessionId: id }, "control room not closed");
    });
  }

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

  /** Ends a session whose launch is refused after all: the caller may come again with the same launch token. */
  async function takeBack(transaction: Transaction<Tables>, session: AvatarSession, reason: EndReason): Promise<void> {
    await enterEnded(transaction, session, reason);
    await releaseLaunchToken(transaction, session.id);
  }

  /** Resolves when a worker has taken the first dispatch of a session. A session that none takes in time is ended, and the caller
   *  told: it would otherwise hold a slot and wait for a face that never comes. Throws SERVICE_UNAVAILABLE. */
  async function untilAccepted(session: AvatarSession): Promise<void> {
    if (session.acceptedAt !== null || session.status === "live" || session.dispatchNumber > 1) return;
    const deadlineMs = performance.now() + ACCEPTANCE_PATIENCE_MS;
    while (performance.now() < deadlineMs) {
      const current = await findAvatarSession(database, session.id);
      if (!current || current.status === "ended") throw noCapacity();
      if (current.acceptedAt !== null) return;
      await delay(ACCEPTANCE_POLL_MS);
    }
    const isEnded = await change(session.id, async (transaction, current) => {
      if (current.status !== "starting" || current.acceptedAt !== null) return current.status === "ended";
      await takeBack(transaction, current, "no_capacity");
      return true;
    });
    if (!isEnded) return;
    await closeControlRoom(session.id);
    throw noCapacity();
  }

  async function stopReason(transaction: Transaction<Tables>, session: AvatarSession): Promise<EndReason | null> {
    const account = await requireAccount(transaction, session.userId);
    const owner = session.secretId === null ? null : await findBySecretId(transaction, session.secretId);
    if (session.secretId !== null && (!owner || owner.isRevoked)) return "secret_revoked";
    if (account.isRuntimeSuspended || account.status === "suspended") return "terminated";
    if (isOverdue(session, currentTime())) return "duration_limit";
    if (PLAN_LIMITS[account.plan].isAdmissionFree) return null;
    return (await spendable(transaction, session.userId)) <= 0 ? "balance_exhausted" : null;
  }

  /** Participants of a session's room, itself included; 1 where nobody can tell. */
  async function countInRoomOf(id: string): Promise<number> {
    const session = await findAvatarSession(database, id);
    const count = session ? await countParticipants(livekit, session).catch(() => 1) : 1;
    return Math.max(1, count);
  }

  return {
    replaceWorker,

    async launch(request) {
      const { image, livekitToken, ...rest } = request;
      const admission: Admission = await admit(
        database,
        {
          ...rest,
          isSelfHosted: false,
          hasImage: image !== null,
          sealedLivekitToken: seal.seal(livekitToken),
          pausedModels: config.AVATAR_PAUSED_MODELS,
          links,
          now: currentTime(),
        },
        async (id) => (image === null ? null : (await storage.put(`session-portraits/${id}`, image)).key),
      );
      const { session, isNew } = admission;
      if (isNew) {
        try {
          await sendWorker(session);
        } catch (error) {
          await change(session.id, (transaction, current) => takeBack(transaction, current, "worker_lost"));
          throw error;
        }
      }
      await untilAccepted(session);
      return session;
    },

    async startSelfHosted({ host, ...request }) {
      const admission = await admit(
        database,
        {
          ...request,
          mode: "self_hosted",
          isSelfHosted: true,
          hasImage: false,
          hasConversation: false,
          livekitUrl: "",
          roomName: "",
          avatarIdentity: host,
          launchTokenId: null,
          sealedLivekitToken: null,
          pausedModels: config.AVATAR_PAUSED_MODELS,
          links,
          now: currentTime(),
        },
        async () => null,
      );
      return change(admission.session.id, async (transaction, session) => {
        const patch = { status: "live" as const, liveAt: currentTime() };
        await updateAvatarSession(transaction, session.id, patch);
        return { ...session, ...patch };
      });
    },

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
          if (session.liveAt === null) await announceJoin(transaction, session, participantCount, now);
          return "noted";
        }
        const servedDeciseconds = countServed(session, event.served_seconds ?? 0, currentTime());
        await updateAvatarSession(transaction, id, { servedDeciseconds });
        const reason = endReasonOf(event.reason);
        // A worker that has to go leaves a session that need not: another takes over.
        if (reason === "worker_draining") return "replace";
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
          balance: await spendable(transaction, session.userId),
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

function noCapacity(): ServiceError {
  return new ServiceError(
    "SERVICE_UNAVAILABLE",
    "No avatar worker has room for another session right now. Try again.",
    {
      retryAfterSeconds: CAPACITY_RETRY_AFTER_SECONDS,
    },
  );
}

/** Tells the account's session webhook that the avatar is in its room. */
function announceJoin(
  transaction: Transaction<Tables>,
  session: AvatarSession,
  participantCount: number,
  at: Date,
): Promise<void> {
  const { id, userId, roomName } = session;
  const data = { room_name: roomName, participant_count: participantCount, session_id: id };
  return publishRoomEvent(transaction, { userId, name: "room.join", agentCode: session.agentCode ?? "", data, at });
}

async function requireAccount(database: Queryable, userId: string): Promise<Account> {
  const account = await findAccount(database, userId);
  if (!account) throw new Error(`account ${userId} of a running avatar session is gone`);
  return account;
}

async function spendable(database: Queryable, userId: string): Promise<number> {
  return (await balanceOf(database, userId)).total - (await accruedByAccount(database, userId));
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
