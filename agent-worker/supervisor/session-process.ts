// A process of avatar sessions, as its worker sees it: of one session, or of several that viewers render. A session
// never changes its process.
//
//   loading  the process loads its code                                → waiting, running, gone
//   waiting  it is ready for a session                                 → running, gone
//   running  sessions have slots of it; it may still be loading        → leaving, gone
//   leaving  its last session has ended; it exits, or is killed        → gone
//   gone     it has exited                                             (final)
//
// A running process that is shared takes further sessions unless it is full, one of its sessions renders video, or it
// is worn: it has had its number of sessions, takes too much memory, or has a session that did not end in time. That
// session's avatar stays in its room until the other sessions have ended, because ending the process ends them, too.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LIGHT_PROCESS_FLAGS, lightEnvironment } from "../../program/child-process/light-process.ts";
import { moduleFlags } from "../../program/child-process/module-flags.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { VoiceEngine } from "../../src/speech/voice/default-voice.ts";
import type { AvatarFile, MessageFromProcess, MessageToProcess, SessionTask } from "../session/session-messages.ts";
import type { TaskHandlers } from "../tasks/worker-tasks.ts";
import { type Leaving, ProcessSlot, type SlotProcess } from "./process-slot.ts";
import { residentBytes } from "./resident-bytes.ts";
import { setProcessPriority } from "./set-process-priority.ts";

const PROGRAM = new URL("../session/main.ts", import.meta.url);
/** A session leaves its room and reports its end within this; ms. */
const DEFAULT_STOP_TIMEOUT_MS = 6_000;
/** Most sessions that share a process at a time: as many as one crash may end. */
const MOST_SHARING = 4;
/** Sessions that a shared process takes altogether. */
const DEFAULT_MOST_SESSIONS = 50;
/** Memory above which a shared process takes no more: four sessions with an avatar each take less than half. */
const MOST_BYTES = 512 * 1024 * 1024;

/** With which other sessions a session shares its process: with none; with others that viewers render; or with others
 *  of these that have lost their process, so that one that ends its process does not end more. */
export type Sharing = "alone" | "light" | "recovered";

/** What a session has taken of the processor. */
export interface SessionUsage {
  /** CPU time, in cores. */
  cpuCores: number;
  /** Whether viewers rendered, and no video had a viewer; otherwise video was rendered all the time. */
  isLight: boolean;
}

export interface SessionProcessOptions {
  /** Default: the program of avatar sessions. */
  program?: URL;
  /** The worker's own environment. The process gets it without the worker's secrets. */
  environment: NodeJS.ProcessEnv;
  /** What the worker does for its sessions. */
  tasks: TaskHandlers;
  /** Loads an engine: a session will probably speak with it. Default: does nothing. */
  warmUp?(engine: VoiceEngine): void;
  /** What one session has taken. Default: not told. */
  onUsage?(usage: SessionUsage): void;
  /** Time to end a session, and to exit after the last one, ms. Default 6,000. */
  stopTimeoutMs?: number;
  /** Sessions that a shared process takes altogether. Default 50. */
  mostSessions?: number;
}

type ProcessState = "loading" | "waiting" | "running" | "leaving" | "gone";

const MOVES = defineMoves<ProcessState>({
  loading: ["waiting", "running", "gone"],
  waiting: ["running", "gone"],
  running: ["leaving", "gone"],
  leaving: ["gone"],
  gone: [],
});

export class SessionProcess {
  /** Resolves when the process is ready for a session, with the CPU time of the lip-sync network on one hop, ms; with
   *  null if the process is gone. */
  readonly loaded: Promise<number | null>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #options: SessionProcessOptions;
  readonly #stopTimeoutMs: number;
  /** Hash of the avatar that the process opens ahead, for its first session. */
  #aheadSha256: string | null = null;
  readonly #state = new StateMachine(MOVES, "loading");
  #isLoaded = false;
  readonly #slots = new Set<ProcessSlot>();
  #sharing: Sharing = "alone";
  #sessionCount = 0;
  /** A session did not end in time, and its slot was released all the same. */
  #hasStuckSession = false;
  #killTimer: NodeJS.Timeout | undefined;

  /** Starts the process. `isUrgent`: at normal priority, because a session waits for it. */
  constructor({ isUrgent }: { isUrgent: boolean }, options: SessionProcessOptions) {
    const { program = PROGRAM, environment, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
    this.#options = options;
    this.#stopTimeoutMs = stopTimeoutMs;
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
    }).then(() => this.#hasExited());
    this.loaded = new Promise((resolve) => {
      void this.gone.then(() => resolve(null));
      this.#child.on("message", (message: MessageFromProcess) => {
        if (message.type === "ready") {
          this.#isLoaded = true;
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

  /** Sessions that have a slot of it. */
  get slotCount(): number {
    return this.#slots.size;
  }

  /** Whether it runs sessions with which one that shares so can share it now. */
  isOpenTo(sharing: Sharing): boolean {
    if (!this.#state.is("running") || sharing === "alone" || sharing !== this.#sharing) return false;
    if (this.#slots.size >= MOST_SHARING || [...this.#slots].some(({ isRendering }) => isRendering)) return false;
    return !this.#isWorn;
  }

  /** A slot for a session. Throws Error if it is not `isOpenTo` the session and runs another one, or if it leaves. A
   *  process that is gone gives a slot that is released. */
  takeSlot(sharing: Sharing): ProcessSlot {
    if (this.#state.is("running", "leaving") && !this.isOpenTo(sharing)) {
      throw new Error("the process takes no more sessions");
    }
    const slot = new ProcessSlot(this.#asSlotProcess(), this.#isLoaded);
    if (this.#state.is("gone")) {
      slot.release();
      return slot;
    }
    if (!this.#state.is("running")) this.#state.enter("running");
    this.#sharing = sharing;
    this.#sessionCount++;
    this.#slots.add(slot);
    return slot;
  }

  /** Lets a process that waits open an avatar. Does nothing in any other state. Once. */
  openAhead(avatar: AvatarFile): void {
    if (!this.#state.is("waiting")) return;
    this.#aheadSha256 = avatar.sha256;
    this.#send({ type: "open", avatar });
  }

  /** Ends a process that has no session. Resolves when it is gone. Idempotent. */
  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.gone;
  }

  get #isWorn(): boolean {
    const { mostSessions = DEFAULT_MOST_SESSIONS } = this.#options;
    if (this.#hasStuckSession || this.#sessionCount >= mostSessions) return true;
    return this.pid !== undefined && residentBytes(this.pid) > MOST_BYTES;
  }

  #asSlotProcess(): SlotProcess {
    return {
      pid: this.pid,
      tasks: this.#options.tasks,
      stopTimeoutMs: this.#stopTimeoutMs,
      send: (message) => this.#send(message),
      run: (task) => this.#run(task),
      leaves: (slot, why) => this.#leaves(slot, why),
    };
  }

  #run(task: SessionTask): void {
    if (this.#child.pid !== undefined) setProcessPriority(this.#child.pid, "normal");
    // It has the file of an avatar that it opens ahead.
    const imx = task.job.imx_sha256 === this.#aheadSha256 ? null : task.imx;
    this.#aheadSha256 = null;
    this.#send({ type: "run", task: { ...task, imx } });
  }

  #take(message: Exclude<MessageFromProcess, { type: "ready" }>): void {
    if (message.type === "warm-up") this.#options.warmUp?.(message.engine);
    else if (message.type === "usage") this.#options.onUsage?.(message);
    else this.#slotOf(sessionIdOf(message))?.take(message);
  }

  #slotOf(sessionId: string): ProcessSlot | undefined {
    return [...this.#slots].find((slot) => slot.sessionId === sessionId);
  }

  #leaves(slot: ProcessSlot, why: Leaving): void {
    if (!this.#slots.has(slot) || !this.#state.is("running")) return;
    if (this.#slots.size > 1) {
      this.#slots.delete(slot);
      this.#hasStuckSession ||= why === "stuck";
      slot.release();
      return;
    }
    // The last one keeps its slot until the process is gone: only then are its resources free.
    this.#state.enter("leaving");
    if (why === "unused" || why === "stuck" || this.#hasStuckSession) this.#child.kill("SIGKILL");
    else {
      this.#send({ type: "leave" });
      this.#killTimer = setTimeout(() => this.#child.kill("SIGKILL"), this.#stopTimeoutMs);
    }
  }

  #hasExited(): void {
    clearTimeout(this.#killTimer);
    this.#state.enter("gone");
    for (const slot of this.#slots) slot.release();
    this.#slots.clear();
  }

  #send(message: MessageToProcess): void {
    // A failure means that the process has died, which `gone` reports.
    this.#child.send(message, () => undefined);
  }
}

function sessionIdOf(message: Exclude<MessageFromProcess, { type: "ready" | "warm-up" | "usage" }>): string {
  if (message.type === "event") return message.event.sessionId;
  return message.type === "task" ? message.request.sessionId : message.sessionId;
}
