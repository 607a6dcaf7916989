// An avatar session: one avatar in one room, from launch to end. Its states and moves are in `session-machine.ts`.
import type { Manner } from "../../../shared/manners.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import {
  type EndReason,
  MAX_SELF_HOSTED_SECONDS,
  type MindKind,
  type OpenSegment,
} from "../../../shared/runtime-api.ts";
import type { GreetingChoice } from "../../agents/greeting.ts";

export type AvatarSessionStatus = "starting" | "live" | "ended";

/** Seconds between heartbeats of our own workers. */
export const HEARTBEAT_INTERVAL_S = 2;
/** Seconds between heartbeats of self-hosted runtimes, and how long they may stay silent. Source: the contract. */
export const SELF_HOSTED_HEARTBEAT_INTERVAL_S = 60;
export const SELF_HOSTED_GRACE_S = 300;
/** Longest continuous session on our own workers. Source: the contract. */
const MAX_CLOUD_SECONDS = 24 * 3600;

/** What a session is from its admission on. */
export interface SessionOrigin {
  /** `cs_…`. */
  id: string;
  userId: string;
  secretId: string | null;
  /** Of the token exchange that started it. */
  transactionId: string | null;
  agentCode: string | null;
  /** As in the caller's request. */
  model: string;
  family: ModelFamily;
  mode: string;
  /** Stored image of a photo session. */
  portraitKey: string | null;
  isSelfHosted: boolean;
  /** Whether the room is one of ours, made for a visitor of the embed page. */
  isHosted: boolean;
  /** The caller's own id of the person in front of the avatar. */
  endUserId: string | null;
  /** Whether the avatar listens and answers by itself. True only in rooms of ours. */
  hasConversation: boolean;
  /** Whether the visitor's conversations are remembered, this one and the one before, as the page has said. */
  remembersVisitor: boolean;
  /** Whether its visitors may render it in their browsers, as was decided at its launch. */
  viewersMayRender: boolean;
  /** Whether they do from the start: it begins without a stream, which a visitor may ask for later. */
  viewersRender: boolean;
  /** Whether its face may react to what users say. Default: true. */
  listens?: boolean;
  /** What it says first in a conversation: see `GreetingChoice`. Default: the agent's own greeting. */
  greeting?: GreetingChoice;
  /** What its face shows by default, and how lively it is; null: as the agent's. */
  emotion?: string | null;
  manner?: Manner | null;
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
  createdAt: Date;
}

/** What reports of its worker change. */
export interface SessionReports {
  /** Number of consecutive lost workers; it limits how often the session is dispatched again. */
  lostWorkers: number;
  lastHeartbeatSeq: number;
  /** Number of the last message of its conversation; 0 before the first. */
  lastMessageSeq: number;
  /** Of the time served, that in which a language model answered without seeing the person. */
  chatDeciseconds: number;
  /** Of the time served, that in which it was shown the person's camera. */
  cameraDeciseconds: number;
  servedDeciseconds: number;
  /** Of the time served, that in which no video was streamed, because visitors rendered. */
  viewerDeciseconds: number;
  lastSeenAt: Date;
  /** When a worker accepted the current dispatch, or null. */
  acceptedAt: Date | null;
  /** Since when it waits for its last user to return, as its worker reported; null while it is in use, and meaningless
   *  once it has ended. */
  vacantSince: Date | null;
  /** Participants of the room as the avatar last reported, itself included; null before its first report. */
  roomParticipants: number | null;
  /** When the room was created, as the avatar reported; null before its first report. */
  roomCreatedAt: Date | null;
  /** Segments with senders who wait for `lk.playback_finished`, for the next worker to report. */
  openSegments: OpenSegment[];
}

/** What a move changes besides the status. */
export interface SessionMoves {
  endReason: EndReason | null;
  /** Number of the current dispatch; the first is 1. */
  dispatchNumber: number;
  /** What answers in a conversation, as its worker reported when it went live; null before, and for other sessions. */
  mind: MindKind | null;
  earlierDeciseconds: number;
  /** Of these, the ones without video. */
  earlierViewerDeciseconds: number;
  liveAt: Date | null;
  endedAt: Date | null;
  /** Charged at the end; null while it runs. */
  credits: number | null;
  /** When the avatar is known to have left its room; null while that is not known. */
  leftAt: Date | null;
}

export interface AvatarSession extends SessionOrigin, SessionReports, SessionMoves {
  status: AvatarSessionStatus;
  /** When room.join of a conversation was published; null before that, and for other sessions. */
  announcedAt: Date | null;
}

/** Whether a worker has accepted an earlier dispatch of the session and was lost, or served it. Its launch is answered
 *  then. A session does not count if its only worker left before it was live. */
export function wasServed({ liveAt, lostWorkers }: Pick<AvatarSession, "liveAt" | "lostWorkers">): boolean {
  return liveAt !== null || lostWorkers > 0;
}

/** The longest duration of a session, s. */
export function maxSecondsOf({ isSelfHosted }: Pick<AvatarSession, "isSelfHosted">): number {
  return isSelfHosted ? MAX_SELF_HOSTED_SECONDS : MAX_CLOUD_SECONDS;
}

/** Whether a session has reached the longest duration allowed. */
export function isOverdue(session: Pick<AvatarSession, "isSelfHosted" | "liveAt">, now: Date): boolean {
  if (session.liveAt === null) return false;
  return now.getTime() - session.liveAt.getTime() >= maxSecondsOf(session) * 1000;
}
