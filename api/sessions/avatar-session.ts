// An avatar session: one avatar serving one room, from launch to end.
//
// starting  admitted and dispatched. Holds a concurrency slot. First no worker has taken it (`acceptedAt` is null), then one has
//           and is on its way into the media room.
//             -> live    the worker says that it has published its tracks
//             -> starting again with the next dispatch number, when a worker stays silent (twice at most)
//             -> ended   could not be dispatched, no worker had room for it, could not join, or ended by the caller
// live      seen and heard; beats report served seconds. Holds a concurrency slot.
//             -> starting with the next dispatch number, when beats stop: the worker is lost
//             -> ended   the worker says why it left, or a beat is answered with `stop`, or the caller ends it
// ended     slot free, credits charged, the caller's join token forgotten. Final.
//
// A worker acts for one dispatch number: what a superseded worker still says is answered with `stop` and changes nothing.
import type { ModelFamily } from "../../shared/models.ts";
import type { EndReason } from "../../shared/runtime-api.ts";

export type AvatarSessionStatus = "starting" | "live" | "ended";

/** Seconds between beats of our own workers. */
export const BEAT_INTERVAL_S = 5;
/** Seconds between beats of self-hosted runtimes, and how long they may stay silent. Source: the contract. */
export const SELF_HOSTED_BEAT_INTERVAL_S = 60;
export const SELF_HOSTED_GRACE_S = 300;
/** Longest continuous session. Source: the contract. */
const MAX_CLOUD_SECONDS = 24 * 3600;
const MAX_SELF_HOSTED_SECONDS = 7 * 24 * 3600;

export interface AvatarSession {
  /** `cs_…`. */
  id: string;
  userId: string;
  secretId: string | null;
  agentCode: string | null;
  /** As the caller named it. */
  model: string;
  family: ModelFamily;
  mode: string;
  portraitKey: string | null;
  isSelfHosted: boolean;
  hasConversation: boolean;
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
  status: AvatarSessionStatus;
  endReason: EndReason | null;
  /** Counts workers asked for; starts at 1. */
  dispatchNumber: number;
  /** Workers lost since one last served well: bounds how often another is asked for. */
  lostWorkers: number;
  lastBeatSeq: number;
  earlierDeciseconds: number;
  servedDeciseconds: number;
  lastSeenAt: Date;
  /** When a worker took the present dispatch, or null. */
  acceptedAt: Date | null;
  createdAt: Date;
  liveAt: Date | null;
  endedAt: Date | null;
  credits: number | null;
}

/** Whether a session has run for as long as one may. */
export function isOverdue(session: Pick<AvatarSession, "isSelfHosted" | "liveAt">, now: Date): boolean {
  if (session.liveAt === null) return false;
  const maxSeconds = session.isSelfHosted ? MAX_SELF_HOSTED_SECONDS : MAX_CLOUD_SECONDS;
  return now.getTime() - session.liveAt.getTime() >= maxSeconds * 1000;
}
