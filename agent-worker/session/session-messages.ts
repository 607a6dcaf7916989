// Messages between the worker and the process of an avatar session, over the process's IPC channel.
import type { DispatchMetadata, EndReason, JobDescription, OpenSegment } from "../../shared/runtime-api.ts";
import type { ConversationFault, TurnTimes } from "../../src/conversation/conversation-listener.ts";
import type { EngineErrorCode } from "../../src/engine-error.ts";
import type { AvatarRenderer } from "../../src/rendering/avatar.ts";
import type { VoiceEngine } from "../../src/voice/default-voice.ts";
import type { SentenceTask, SpokenSamples } from "../../src/voice/espeak-messages.ts";
import type { FetchedTask } from "../../src/voice/fetched/fetched-messages.ts";
import type { PieceAudio, PieceTask } from "../../src/voice/neural/neural-messages.ts";
import type { CheckpointChange } from "../conversation/checkpoint-change.ts";
import type { ConversationTask } from "../conversation/conversation-task.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";
import type { PlayoutReport } from "../playout/playout-metrics.ts";

/** An `.imx` with the SHA-256 of its bytes, hex. */
export interface AvatarFile {
  sha256: string;
  imx: Uint8Array;
}

/** What a process needs to serve a session. */
export interface SessionTask {
  /** With the newest runtime token. */
  metadata: DispatchMetadata;
  job: JobDescription;
  /** The `.imx` of the job; null if the process has opened it ahead, or fetches the file or
   *  the portrait itself. */
  imx: Uint8Array | null;
  /** The control room on our own LiveKit server, and the token to join it; null for a session without one. */
  controlRoom: { url: string; token: string } | null;
  /** `host` or `host:port` of LiveKit servers that the session may join whatever their address, besides our own. */
  allowedHosts: readonly string[];
  /** Where the process before this one was interrupted; null for the first process of a dispatch. */
  checkpoint: SessionCheckpoint | null;
  /** Null if the session holds none. */
  conversation: ConversationTask | null;
}

/** What the next process needs if this one dies. */
export interface SessionCheckpoint {
  /** The current runtime token: each heartbeat renews it. */
  runtimeToken: string;
  isLive: boolean;
  /** Seconds served in this dispatch. */
  servedSeconds: number;
  /** Number of the last heartbeat in this dispatch; 0 before the first one. */
  heartbeatSeq: number;
  /** Segments whose senders still wait for their `lk.playback_finished`, in order. */
  openSegments: OpenSegment[];
  /** Messages of which nothing was heard, in order, at most 20: the next process speaks them. They stay on this
   *  worker. */
  waitingMessages: string[];
}

/** The result of a task, or why there is none. `id`: that of its request. */
export type WorkerReply<Result> =
  | { id: number; result: Result }
  | { id: number; code: EngineErrorCode; message: string };

/** Steps of a session's start, each told once by a process: it has its session, the avatar is open, the room is joined,
 *  both tracks are published, the first frame is shown, the first speech is heard. */
export const MILESTONES = ["serving", "opened", "joined", "published", "first-frame", "first-speech"] as const;
export type Milestone = (typeof MILESTONES)[number];

export type MessageToProcess =
  /** Open the avatar that the session will probably have. At most once, to a process that is ready. */
  | { type: "open"; avatar: AvatarFile }
  | { type: "serve"; task: SessionTask }
  | { type: "spoken"; reply: WorkerReply<SpokenSamples> }
  | { type: "piece"; reply: WorkerReply<PieceAudio> }
  | { type: "turn-end"; reply: WorkerReply<number> }
  /** End the session for this reason. */
  | { type: "end"; reason: EndReason };

export type MessageFromProcess =
  /** Everything is loaded. `hopMs`: CPU time of the lip-sync network on one hop, by which the worker knows how fast the
   *  machine is. */
  | { type: "ready"; hopMs: number }
  /** Sent whenever the open segments or the waiting messages change, five times a second while a segment plays, and
   *  once a second. */
  | { type: "checkpoint"; checkpoint: SessionCheckpoint }
  /** Something was said in the conversation. Sent once a second at most, but for a burst of three. */
  | { type: "conversation"; change: CheckpointChange }
  /** A turn of the conversation was answered. */
  | { type: "turn"; times: TurnTimes }
  /** Ears, language model or voice have failed in the conversation. */
  | { type: "conversation-fault"; part: ConversationFault }
  /** `cpuCores`: CPU time of the process since the last report, in cores. */
  | { type: "playout"; report: PlayoutReport; cpuCores: number }
  /** The avatar is open; see `Avatar.renderedBy`. */
  | { type: "opened"; renderedBy: AvatarRenderer }
  /** `atMs`: when, in milliseconds since the epoch. */
  | { type: "milestone"; milestone: Milestone; atMs: number }
  /** Load an engine's process: the session will probably speak with it. */
  | { type: "warm-up"; engine: VoiceEngine }
  /** Speak a sentence with the formant voice. Answered with `spoken`. */
  | { type: "speak"; id: number; task: SentenceTask }
  /** Make a piece of a sentence with the neural voice, or a sentence with a fetched voice. Answered with `piece`. */
  | { type: "make-piece"; id: number; task: PieceTask | FetchedTask }
  /** Predict whether a turn is over. Answered with `turn-end`. */
  | { type: "predict-turn-end"; id: number; task: TurnEndTask }
  /** The session's room has become vacant, or no longer is (see `MediaRoom`). */
  | { type: "vacancy"; isVacant: boolean }
  /** The avatar has left its room, because the session ends for this reason. The api is still to be told. */
  | { type: "left"; reason: EndReason }
  /** The session has ended and the api knows. The process exits. */
  | { type: "ended"; reason: EndReason };
