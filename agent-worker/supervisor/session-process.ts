// One process for one avatar session, as its worker sees it.
//
//   loading  the process loads its code                             → waiting, running, gone
//   waiting  it is ready for a session                              → running, gone
//   running  it has a session; it may still be loading              → gone
//   gone     it has exited                                          (final)
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LIGHT_PROCESS_FLAGS, lightEnvironment } from "../../program/child-process/light-process.ts";
import { moduleFlags } from "../../program/child-process/module-flags.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import type { EndReason } from "../../shared/runtime-api.ts";
import type { VoiceEngine } from "../../src/speech/voice/default-voice.ts";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import type { AvatarFile, MessageFromProcess, MessageToProcess, SessionTask } from "../session/session-messages.ts";
import type { TaskHandlers, TaskRequest } from "../tasks/worker-tasks.ts";
import { setProcessPriority } from "./set-process-priority.ts";

const PROGRAM = new URL("../session/main.ts", import.meta.url);
/** A session leaves its room and reports its end within this; ms. */
const DEFAULT_STOP_TIMEOUT_MS = 6_000;
export interface SessionProcessOptions {
  /** Default: the program of avatar sessions. */
  program?: URL;
  /** The worker's own environment. The process gets it without the worker's secrets. */
  environment: NodeJS.ProcessEnv;
  /** What the worker does for its sessions. */
  tasks: TaskHandlers;
  /** Loads an engine: a session will probably speak with it. Default: does nothing. */
  warmUp?(engine: VoiceEngine): void;
  /** CPU time of one session, in cores: that of its process, which has no other. Default: not told. */
  onUsage?(sessionCores: number): void;
  /** Time to end a session before the process is killed, ms. Default 6,000. */
  stopTimeoutMs?: number;
}

/** What becomes of a session that a process has. */
export interface SessionListener {
  onEvent(event: WorkerSessionEvent): void;
  /** The process has nothing of the session any more. `reason` is why the session ended; null if the process died
   *  before it had ended. */
  onReleased(reason: EndReason | null): void;
}

type ProcessState = "loading" | "waiting" | "running" | "gone";

const MOVES = defineMoves<ProcessState>({
  loading: ["waiting", "running", "gone"],
  waiting: ["running", "gone"],
  running: ["gone"],
  gone: [],
});

interface GivenSession {
  id: string;
  listener: SessionListener;
  /** Why it has ended; null while it has not. */
  endReason: EndReason | null;
}

export class SessionProcess {
  /** Resolves when the process is ready for a session, with the CPU time of the lip-sync network on one hop, ms; with
   *  null if the process is gone. */
  readonly loaded: Promise<number | null>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #stopTimeoutMs: number;
  readonly #options: SessionProcessOptions;
  /** Hash of the avatar that the process opens ahead. */
  #aheadSha256: string | null = null;
  readonly #state = new StateMachine(MOVES, "loading");
  #session: GivenSession | null = null;
  /** By id: tasks that the worker performs now. */
  readonly #tasks = new Map<number, AbortController>();
  #killTimer: NodeJS.Timeout | undefined;

  /** Starts the process. `isUrgent`: at normal priority, because a session waits for it. */
  constructor({ isUrgent }: { isUrgent: boolean }, options: SessionProcessOptions) {
    const { program = PROGRAM, environment, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
    this.#stopTimeoutMs = stopTimeoutMs;
    this.#options = options;
    this.#child = fork(fileURLToPath(program), [], {
      execArgv: [...LIGHT_PROCESS_FLAGS, ...moduleFlags(program)],
      env: lightEnvironment(environment),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // Carries bytes as they are.
      serialization: "advanced",
    });
    if (!isUrgent && this.#child.pid !== undefined) setProcessPriority(this.#child.pid, "lowest");
    this.gone = new Promise((resolve) => {
      this.#child.once("exit", resolve);
      // The process could not be started.
      this.#child.once("error", () => this.#child.pid === undefined && resolve(undefined));
    }).then(() => this.#leave());
    this.loaded = new Promise((resolve) => {
      void this.gone.then(() => resolve(null));
      this.#child.on("message", (message: MessageFromProcess) => {
        if (message.type === "ready") {
          if (this.#state.is("loading")) this.#state.enter("waiting");
          resolve(message.hopMs);
        } else this.#take(message);
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get state(): ProcessState {
    return this.#state.current;
  }

  /** Gives it a session, also while it loads. Once. */
  run(task: SessionTask, listener: SessionListener): void {
    if (this.#session) throw new Error("a process runs one session");
    this.#session = { id: task.metadata.avatar_session_id, listener, endReason: null };
    if (this.#state.is("gone")) {
      queueMicrotask(() => listener.onReleased(null));
      return;
    }
    this.#state.enter("running");
    if (this.#child.pid !== undefined) setProcessPriority(this.#child.pid, "normal");
    // It has the file of an avatar that it opens ahead.
    const imx = task.job.imx_sha256 === this.#aheadSha256 ? null : task.imx;
    this.#send({ type: "run", task: { ...task, imx } });
  }

  /** Lets a process that waits open an avatar. Does nothing in any other state. Once. */
  openAhead(avatar: AvatarFile): void {
    if (!this.#state.is("waiting")) return;
    this.#aheadSha256 = avatar.sha256;
    this.#send({ type: "open", avatar });
  }

  /** Ends the session for this reason; resolves when the process has nothing of it any more. */
  async endSession(reason: EndReason): Promise<void> {
    if (this.#session && this.#state.is("running")) {
      this.#send({ type: "end", sessionId: this.#session.id, reason });
      this.#killLater();
    } else if (!this.#state.is("gone")) this.#child.kill("SIGKILL");
    await this.gone;
  }

  /** Ends a process that has no session. Resolves when it is gone. Idempotent. */
  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.gone;
  }

  #take(message: Exclude<MessageFromProcess, { type: "ready" }>): void {
    if (message.type === "event") this.#session?.listener.onEvent(message.event);
    else if (message.type === "task") void this.#perform(message.request);
    else if (message.type === "cancel-task")
      this.#tasks.get(message.id)?.abort(new Error("the session cancelled the task"));
    else if (message.type === "warm-up") this.#options.warmUp?.(message.engine);
    else if (message.type === "usage") this.#options.onUsage?.(message.cpuCores);
    else {
      if (this.#session) this.#session.endReason = message.reason;
      this.#killLater();
    }
  }

  async #perform({ id, kind, sessionId, task }: TaskRequest): Promise<void> {
    const cancelling = new AbortController();
    this.#tasks.set(id, cancelling);
    // The compiler does not see that a task is of the kind of its request.
    const handle = this.#options.tasks[kind] as (task: unknown, owner: string, signal: AbortSignal) => Promise<unknown>;
    try {
      const result = await handle(task, sessionId, cancelling.signal);
      this.#send({ type: "task-reply", reply: { id, result } });
    } catch (error) {
      const { code, message } = isEngineError(error)
        ? error
        : ({ code: "program-failed", message: `The worker has failed at a task (${kind}).` } as const);
      this.#send({ type: "task-reply", reply: { id, code, message } });
    } finally {
      this.#tasks.delete(id);
    }
  }

  #killLater(): void {
    this.#killTimer ??= setTimeout(() => this.#child.kill("SIGKILL"), this.#stopTimeoutMs);
  }

  #leave(): void {
    clearTimeout(this.#killTimer);
    this.#state.enter("gone");
    for (const task of this.#tasks.values()) task.abort(new Error("the process is gone"));
    this.#session?.listener.onReleased(this.#session.endReason);
  }

  #send(message: MessageToProcess): void {
    // A failure means that the process has died, which `gone` reports.
    this.#child.send(message, () => undefined);
  }
}
