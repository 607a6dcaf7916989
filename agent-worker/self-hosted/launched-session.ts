// One launched session, between its process on this machine and its metering at the account's service.
//
//   pending  the avatar is on its way into its room                       → running, ended
//   running  it is in its room; the time is metered                       → ended
//   ended    it has left, or never came; the service gets the last count  (final)
import { randomBytes } from "node:crypto";
import type { Logger } from "../../program/log.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type {
  EndReason,
  HeartbeatAnswer,
  HeartbeatReport,
  JobDescription,
  SessionEvent,
} from "../../shared/runtime-api.ts";
import { parseEndReason } from "../../shared/runtime-api.ts";
import type { MeteredSession, MeteredSessionOptions } from "./metered-session.ts";
import type { Task, TaskStatus } from "./task-list.ts";

/** How a task has ended, by the reason of its session. All others have failed. */
const OUTCOMES: Partial<Record<EndReason, TaskStatus>> = {
  last_user_left: "completed",
  avatar_removed: "completed",
  room_closed: "completed",
  terminated: "cancelled",
  worker_draining: "cancelled",
};
/** What went wrong, in words for people, where nothing more is known. */
const ERRORS: Partial<Record<EndReason, string>> = {
  join_failed: "The avatar could not join the room: the LiveKit server refused it or did not answer.",
  model_failed: "The avatar could not be shown.",
  worker_lost: "The connection to the LiveKit server was lost, or the session's process failed too often.",
  no_capacity: "The worker has no free slot for another session.",
  duration_limit: "SESSION_DURATION_LIMIT: The session has reached the longest duration of a self-hosted session.",
  ended_by_api: "The service has ended the session.",
};

type LaunchState = "pending" | "running" | "ended";

const MOVES = defineMoves<LaunchState>({ pending: ["running", "ended"], running: ["ended"], ended: [] });

export interface LaunchedSessionOptions {
  task: Task;
  /** Of the job at the worker. */
  jobId: string;
  /** Without the addresses that `LocalRuntime` adds. */
  job: JobDescription;
  imx: Uint8Array;
  /** Creates the metering, which is told how much was served and tells when to stop. */
  meter(options: Pick<MeteredSessionOptions, "servedSeconds" | "onStop">): MeteredSession;
  /** Ends the session's process. */
  cancel(jobId: string, reason: EndReason): void;
  /** Called once. */
  onEnded(session: LaunchedSession): void;
  /** The time of the listing. */
  now(): Date;
  logger: Logger;
}

export class LaunchedSession {
  readonly task: Task;
  readonly jobId: string;
  readonly job: JobDescription;
  readonly imx: Uint8Array;
  /** With this its process reports. */
  readonly token = randomBytes(32).toString("base64url");
  /** Resolves when the session is running or has ended. */
  readonly settled: Promise<void>;
  readonly #state = new StateMachine(MOVES, "pending");
  #reported: Promise<void> = Promise.resolve();
  readonly #options: LaunchedSessionOptions;
  readonly #metered: MeteredSession;
  readonly #abandoning = new AbortController();
  #servedSeconds = 0;
  #stopReason: EndReason | null = null;
  #settle: () => void = () => undefined;

  constructor(options: LaunchedSessionOptions) {
    this.#options = options;
    this.task = options.task;
    this.jobId = options.jobId;
    this.job = options.job;
    this.imx = options.imx;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#metered = options.meter({
      servedSeconds: () => this.#servedSeconds,
      onStop: (reason, error) => this.#end(reason, error),
    });
  }

  get hasEnded(): boolean {
    return this.#state.is("ended");
  }

  /** Its process reports. Returns false if it must stop. */
  take(event: SessionEvent): boolean {
    this.#noteServed(event.served_seconds);
    if (event.event === "ended") this.finish(parseEndReason(event.reason) ?? "model_failed");
    if (this.hasEnded) return event.event === "ended";
    if (event.event === "live" && this.#state.is("pending")) {
      this.#state.enter("running");
      this.task.status = "running";
      this.#metered.start();
      this.#settle();
    }
    return true;
  }

  /** Its process is there. */
  takeHeartbeat(report: HeartbeatReport): HeartbeatAnswer {
    this.#noteServed(report.served_seconds);
    const reason = this.hasEnded ? "ended_by_api" : this.#stopReason;
    return reason === null ? { ok: true, balance: 0 } : { ok: false, balance: 0, stop: { reason } };
  }

  /** A caller stops it. Repeatable. */
  stop(): void {
    this.#end("terminated", null);
  }

  /** It has ended. Later reports of the same end do nothing. */
  finish(reason: EndReason): void {
    const { task } = this;
    if (this.hasEnded) return;
    this.#state.enter("ended");
    const cause = this.#stopReason ?? reason;
    task.status = OUTCOMES[cause] ?? "failed";
    task.error ??= task.status === "failed" ? (ERRORS[cause] ?? null) : null;
    task.completedAt = this.#options.now();
    this.#reported = this.#metered.stop(this.#servedSeconds, this.#abandoning.signal);
    this.#settle();
    this.#options.onEnded(this);
  }

  /** Resolves when the service knows the end, or can no longer be told. */
  async whenReported(): Promise<void> {
    await this.#reported;
  }

  /** As `whenReported`, and gives up after `limitMs`. */
  async reported(limitMs: number): Promise<void> {
    const timer = setTimeout(() => this.#abandoning.abort(), limitMs);
    await this.#reported;
    clearTimeout(timer);
  }

  #end(reason: EndReason, error: string | null): void {
    if (this.hasEnded || this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.task.error = error;
    this.#options.logger.info({ avatarSessionId: this.task.sessionId, reason, error }, "launched session is ended");
    this.#options.cancel(this.jobId, reason);
  }

  #noteServed(seconds = 0): void {
    this.#servedSeconds = Math.max(this.#servedSeconds, seconds);
  }
}
