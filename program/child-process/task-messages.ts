// What a parent and its task process send each other. Structured clone carries them, so bytes travel as bytes.
import type { EngineErrorCode } from "../../shared/engine-error.ts";

export interface TaskRequest<Task> {
  id: number;
  task: Task;
}

/** The result of the running task is not wanted any more. Its reply is awaited all the same. */
export interface TaskCancel {
  cancelled: number;
}

/** The process has loaded what it needs before its first task. */
export interface TaskReady {
  type: "ready";
}

/** The process ends, because of an error that nothing has caught. */
export interface TaskCrash {
  type: "crashed";
  /** With its stack. For the log. */
  message: string;
}

export type TaskReply<Result> =
  /** The process has loaded its code and started the task. */
  | { id: number; type: "begun" }
  /** `share` is between 0 and 1. */
  | { id: number; type: "progress"; share: number }
  | { id: number; type: "done"; result: Result }
  /** The task's input is at fault; the caller may read the message. */
  | { id: number; type: "refused"; code: EngineErrorCode; message: string }
  /** The process itself is at fault. */
  | { id: number; type: "failed"; message: string };
