// Messages between the worker and a process of avatar sessions, over the process's IPC channel.
import type { DispatchMetadata, EndReason, JobDescription } from "../../shared/runtime-api.ts";
import type { VoiceEngine } from "../../src/speech/voice/default-voice.ts";
import type { ConversationTask } from "../conversation/conversation-task.ts";
import type { TaskReply, TaskRequest } from "../tasks/worker-tasks.ts";
import type { SessionCheckpoint, WorkerSessionEvent } from "./session-event.ts";

/** An `.imx` with the SHA-256 of its bytes, hex. */
export interface AvatarFile {
  sha256: string;
  imx: Uint8Array;
}

/** What a process needs to run a session. */
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

export type MessageToProcess =
  /** Open the avatar that the session will probably have. At most once, to a process that is ready. */
  | { type: "open"; avatar: AvatarFile }
  | { type: "run"; task: SessionTask }
  | { type: "task-reply"; sessionId: string; reply: TaskReply }
  /** End the session for this reason. */
  | { type: "end"; sessionId: string; reason: EndReason }
  /** No session is left, and none will come: exit. */
  | { type: "leave" };

export type MessageFromProcess =
  /** Everything is loaded. `hopMs`: CPU time of the lip-sync network on one hop, by which the worker knows how fast the
   *  machine is. */
  | { type: "ready"; hopMs: number }
  /** CPU time of a session since its last message of this type, in cores. `isLight`: its video had no viewer meanwhile,
   *  because viewers render; otherwise it had one all the time. */
  | { type: "usage"; sessionId: string; cpuCores: number; isLight: boolean }
  | { type: "event"; event: WorkerSessionEvent }
  /** Load an engine's process: a session will probably speak with it. */
  | { type: "warm-up"; engine: VoiceEngine }
  /** Answered with `task-reply`. */
  | { type: "task"; request: TaskRequest }
  /** Cancels a task. It is answered all the same. */
  | { type: "cancel-task"; sessionId: string; id: number }
  /** The session has ended and the api knows. */
  | { type: "ended"; sessionId: string; reason: EndReason }
  /** The session has failed before it could end. Nothing is left of it, and the process goes on. */
  | { type: "failed"; sessionId: string };
