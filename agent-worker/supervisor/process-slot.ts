// One session's slot in a process.
//
//   open      the session has the slot, and does not run yet          → running, released
//   running   the process runs the session                            → ended, released (it failed or hangs)
//   ended     the session has ended, its process is yet to exit       → released
//   released  the process has nothing of the session any more         (final)
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import type { EndReason } from "../../shared/runtime-api.ts";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import type { MessageFromProcess, MessageToProcess, SessionTask } from "../session/session-messages.ts";
import type { TaskHandlers, TaskRequest } from "../tasks/worker-tasks.ts";

/** What becomes of a session that a process has. */
export interface SessionListener {
  onEvent(event: WorkerSessionEvent): void;
  /** The process has nothing of the session any more. `reason` is why the session ended; null if the process died, or
   *  the session failed in it, before it had ended. */
  onReleased(reason: EndReason | null): void;
}

/** Why a session needs its slot no more. `stuck`: it did not end in time. */
export type Leaving = "unused" | "ended" | "failed" | "stuck";

/** What a slot uses of its process. */
export interface SlotProcess {
  readonly pid: number | undefined;
  /** What the worker does for its sessions. */
  readonly tasks: TaskHandlers;
  /** Time to end a session, ms. */
  readonly stopTimeoutMs: number;
  send(message: MessageToProcess): void;
  run(task: SessionTask): void;
  /** Releases the slot, at once or with the process. */
  leaves(slot: ProcessSlot, why: Leaving): void;
}

type SlotState = "open" | "running" | "ended" | "released";

const MOVES = defineMoves<SlotState>({
  open: ["running", "released"],
  running: ["ended", "released"],
  ended: ["released"],
  released: [],
});

type SlotMessage = Extract<MessageFromProcess, { type: "event" | "task" | "cancel-task" | "ended" | "failed" }>;

export class ProcessSlot {
  /** Whether the process was loaded when the session got the slot. */
  readonly wasReady: boolean;
  readonly #process: SlotProcess;
  readonly #state = new StateMachine(MOVES, "open");
  /** By id: tasks that the worker performs now. */
  readonly #tasks = new Map<number, AbortController>();
  #sessionId = "";
  #listener: SessionListener | undefined;
  #endReason: EndReason | null = null;
  #isRendering = false;
  #stopTimer: NodeJS.Timeout | undefined;
  #resolve: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  constructor(process: SlotProcess, wasReady: boolean) {
    this.#process = process;
    this.wasReady = wasReady;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Id of the session that it runs; empty before `run`. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** Whether the session renders video now. */
  get isRendering(): boolean {
    return this.#isRendering;
  }

  /** Runs the session, also in a process that still loads. Once. */
  run(task: SessionTask, listener: SessionListener): void {
    if (this.#sessionId !== "") throw new Error("a slot of a process runs one session");
    this.#sessionId = task.metadata.avatar_session_id;
    this.#listener = listener;
    if (this.#state.is("released")) {
      queueMicrotask(() => listener.onReleased(null));
      return;
    }
    this.#state.enter("running");
    this.#process.run(task);
  }

  /** Ends the session for this reason; resolves when the process has nothing of it any more. */
  async end(reason: EndReason): Promise<void> {
    if (this.#state.is("open")) this.#process.leaves(this, "unused");
    else if (this.#state.is("running")) {
      this.#process.send({ type: "end", sessionId: this.#sessionId, reason });
      const { stopTimeoutMs } = this.#process;
      this.#stopTimer ??= setTimeout(() => this.#process.leaves(this, "stuck"), stopTimeoutMs);
    }
    await this.#released;
  }

  /** The process tells something of the session. */
  take(message: SlotMessage): void {
    if (!this.#state.is("running")) return;
    switch (message.type) {
      case "event":
        if (message.event.type === "video") this.#isRendering = message.event.isRendered;
        this.#listener?.onEvent(message.event);
        return;
      case "task":
        void this.#perform(message.request);
        return;
      case "cancel-task":
        this.#tasks.get(message.id)?.abort(new Error("the session cancelled the task"));
        return;
      case "ended":
        this.#endReason = message.reason;
        this.#state.enter("ended");
        clearTimeout(this.#stopTimer);
        this.#process.leaves(this, "ended");
        return;
      case "failed":
        clearTimeout(this.#stopTimer);
        this.#process.leaves(this, "failed");
    }
  }

  /** For the process: it has nothing of the session any more. Idempotent. */
  release(): void {
    if (this.#state.is("released")) return;
    this.#state.enter("released");
    clearTimeout(this.#stopTimer);
    for (const task of this.#tasks.values()) task.abort(new Error("the process has released the session"));
    this.#resolve();
    this.#listener?.onReleased(this.#endReason);
  }

  async #perform({ id, kind, sessionId, task }: TaskRequest): Promise<void> {
    const { tasks } = this.#process;
    const cancelling = new AbortController();
    this.#tasks.set(id, cancelling);
    // The compiler does not see that a task is of the kind of its request.
    const handle = tasks[kind] as (task: unknown, owner: string, signal: AbortSignal) => Promise<unknown>;
    try {
      const result = await handle(task, sessionId, cancelling.signal);
      this.#process.send({ type: "task-reply", sessionId, reply: { id, result } });
    } catch (error) {
      const { code, message } = isEngineError(error)
        ? error
        : ({ code: "program-failed", message: `The worker has failed at a task (${kind}).` } as const);
      this.#process.send({ type: "task-reply", sessionId, reply: { id, code, message } });
    } finally {
      this.#tasks.delete(id);
    }
  }
}
