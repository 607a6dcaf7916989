// Heartbeats of avatar sessions: what they report is metered, and their answer says whether to go on.
import type { Transaction } from "kysely";
import type { EndReason, HeartbeatReport, SessionEvent } from "../../../shared/runtime-api.ts";
import type { Account } from "../../accounts/account.ts";
import { balanceOf } from "../../accounts/credits/ledger.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import { findBySecretId } from "../../accounts/secrets/secret-store.ts";
import { findPublicAgent } from "../../agents/sharing/sharing-store.ts";
import type { Tables } from "../../kernel/database/database.ts";
import { type AvatarSession, isOverdue } from "../record/avatar-session.ts";
import { findVisit, hasUsedMinutes } from "../record/public-visits.ts";
import type { SessionServices } from "../session-services.ts";
import { type HeldSession, type ReportedTimes, requireAccount, roomPatch } from "./session-machine.ts";

/** A worker that has served this long resets the count of lost workers. */
const SERVED_WELL_DECISECONDS = 600;
/** How far a worker's count of served time may exceed ours, for rounding and start-up. */
const SERVED_SLACK_DECISECONDS = 20;

export interface HeartbeatOutcome {
  session: AvatarSession;
  /** Why the worker must stop, or null. */
  stop: EndReason | null;
  /** Credits left, less the accrued cost of running sessions. */
  balance: number;
  account: Account;
}

/** Takes a heartbeat, and ends the session if its account may not go on. */
export async function takeHeartbeat(
  services: SessionServices,
  held: HeldSession,
  heartbeat: HeartbeatReport,
): Promise<HeartbeatOutcome> {
  const { session, transaction } = held;
  if (session.status === "ended") return outcomeOf(held, session.endReason ?? "terminated");
  const now = new Date(services.now());
  const isRepeat = heartbeat.seq <= session.lastHeartbeatSeq;
  const servedDeciseconds = isRepeat ? session.servedDeciseconds : countServed(session, heartbeat.served_seconds, now);
  const hasRunWell = servedDeciseconds - session.earlierDeciseconds >= SERVED_WELL_DECISECONDS;
  const noted = {
    servedDeciseconds,
    lastHeartbeatSeq: Math.max(heartbeat.seq, session.lastHeartbeatSeq),
    lastSeenAt: now,
    lostWorkers: hasRunWell ? 0 : session.lostWorkers,
    ...(isRepeat ? {} : { vacantSince: heartbeat.is_vacant ? (session.vacantSince ?? now) : null }),
    ...(isRepeat || !session.hasConversation || !heartbeat.mind ? {} : { mind: heartbeat.mind }),
    ...(isRepeat ? {} : { ...roomPatch(heartbeat.room), ...segmentsPatch(heartbeat) }),
  };
  await held.note(noted, timesOf(heartbeat));
  const stop = await stopReason(transaction, held.session, now);
  if (stop !== null) await held.end(stop);
  return outcomeOf(held, stop);
}

/** The answer to a heartbeat. */
export async function outcomeOf(
  { session, transaction }: HeldSession,
  stop: EndReason | null,
): Promise<HeartbeatOutcome> {
  const account = await requireAccount(transaction, session.userId);
  return { session, stop, balance: (await balanceOf(transaction, session.userId)).total, account };
}

/** Served time after a worker's report. It never decreases, and never exceeds the time since the session was created.
 *  */
export function countServed(session: AvatarSession, reportedSeconds: number, now: Date): number {
  const reported = session.earlierDeciseconds + Math.round(reportedSeconds * 10);
  const elapsed = Math.ceil((now.getTime() - session.createdAt.getTime()) / 100) + SERVED_SLACK_DECISECONDS;
  return Math.max(session.servedDeciseconds, Math.min(reported, elapsed));
}

async function stopReason(
  transaction: Transaction<Tables>,
  session: AvatarSession,
  now: Date,
): Promise<EndReason | null> {
  const account = await requireAccount(transaction, session.userId);
  const owner = session.secretId === null ? null : await findBySecretId(transaction, session.secretId);
  if (session.secretId !== null && (!owner || owner.isRevoked)) return "secret_revoked";
  if (account.isRuntimeSuspended || account.status === "suspended") return "terminated";
  if (isOverdue(session, now) || (await isVisitOver(transaction, session))) return "duration_limit";
  if (PLAN_LIMITS[account.plan].isAdmissionFree) return null;
  return (await balanceOf(transaction, session.userId)).total <= 0 ? "balance_exhausted" : null;
}

/** Whether the visitor of a public agent has had the minutes of the day. */
async function isVisitOver(transaction: Transaction<Tables>, session: AvatarSession): Promise<boolean> {
  const { id, agentCode, secretId, isHosted } = session;
  if (secretId !== null || !isHosted || agentCode === null) return false;
  const visitor = await findVisit(transaction, id);
  if (visitor === null) return false;
  const agent = await findPublicAgent(transaction, agentCode);
  // An agent that is not public any more: a job ends its sessions.
  return agent !== null && hasUsedMinutes(transaction, agentCode, visitor, agent.sharing.visitorMinutesPerDay);
}

/** The parts of the served time of a report. */
export function timesOf(report: Pick<SessionEvent, "watched_seconds" | "viewer_rendered_seconds">): ReportedTimes {
  return { watchedSeconds: report.watched_seconds, viewerSeconds: report.viewer_rendered_seconds };
}

/** The open segments of a report; empty if it names none. */
function segmentsPatch({ open_segments: openSegments }: Pick<SessionEvent, "open_segments">) {
  return openSegments === undefined ? {} : { openSegments };
}
