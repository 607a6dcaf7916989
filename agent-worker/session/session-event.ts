// What happens in a session, as its worker learns it. One type goes from the part of a session that notices it, through
// the session's process and the worker, to the worker's metrics: a new event is declared here or with its part, told
// where it happens, and counted in `WorkerMetrics`.

import type { PlayoutEvent } from "../../room/playout/playout-event.ts";
import type { EndReason, OpenSegment } from "../../shared/runtime-api.ts";
import type { AvatarRenderer } from "../../src/face/rendering/avatar.ts";
import type { ConversationEvent } from "../conversation/conversation-event.ts";
import type { RequestedExpression } from "../room/room-expressions.ts";

/** What the next process needs if this one dies. */
export interface SessionCheckpoint {
  /** The current runtime token: each heartbeat renews it. */
  runtimeToken: string;
  isLive: boolean;
  /** Seconds served in this dispatch. */
  servedSeconds: number;
  /** Of these, the ones without video; absent where viewers may not render. */
  viewerSeconds?: number;
  /** Number of the last heartbeat in this dispatch; 0 before the first one. */
  heartbeatSeq: number;
  /** Segments with senders who still wait for `lk.playback_finished`, in order. */
  openSegments: OpenSegment[];
  /** Messages of which nothing was heard, in order, at most 20: the next process speaks them. They stay on this
   *  worker. */
  waitingMessages: string[];
  /** What a participant has set and still holds; absent for the agent's mood, which is in the job. */
  requestedExpression?: RequestedExpression;
}

/** What happened. The part that tells it need not know which session it belongs to. */
export type SessionEventBody =
  | PlayoutEvent
  | ConversationEvent
  /** Sent whenever the open segments or the waiting messages change, five times a second while a segment plays, and
   *  once a second. */
  | { type: "checkpoint"; checkpoint: SessionCheckpoint }
  /** The avatar is open; see `Avatar.renderedBy`. */
  | { type: "opened"; renderedBy: AvatarRenderer }
  /** The session's room has become vacant, or no longer is (see `MediaRoom`). */
  | { type: "vacancy"; isVacant: boolean }
  /** Video is rendered from now on, or no longer. A session that viewers render begins without: frames that announce
   *  its track do not count. */
  | { type: "video"; isRendered: boolean }
  /** The avatar has left its room, because the session ends for this reason. The api is still to be told. */
  | { type: "left"; reason: EndReason }
  // The worker tells the following of its sessions.
  /** The avatar is in its room for the first time, `startMs` after the job was accepted. `wasReady`: a process waited
   *  for the session. */
  | { type: "live"; startMs: number; wasReady: boolean }
  /** The first frame is shown, `startMs` after the job was accepted; only if the session's first process shows it. */
  | { type: "first-frame"; startMs: number }
  /** The neural voice has made a piece, `ms` after the session requested it. */
  | { type: "voice-piece"; ms: number }
  /** Messages of the conversation are never reported: too many came. */
  | { type: "messages-dropped"; count: number }
  /** The session's process died before the session had ended. */
  | { type: "crash" };

/** `sessionId`: of the avatar session, or of the realtime session. */
export type WorkerSessionEvent = SessionEventBody & { sessionId: string };
