// One process for one avatar session, as its worker sees it.
//
//   loading  the process loads its code                             → waiting, serving, gone
//   waiting  it is ready for a session                              → serving, gone
//   serving  it has a session; it may still be loading              → gone
//   gone     it has exited                                          (final)
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { EndReason } from "../../shared/runtime-api.ts";
import { moduleFlags } from "../../src/child-process/module-flags.ts";
import type { ConversationFault, TurnTimes } from "../../src/conversation/conversation-listener.ts";
import { isEngineError } from "../../src/engine-error.ts";
import type { AvatarRenderer } from "../../src/rendering/avatar.ts";
import type { VoiceEngine } from "../../src/voice/default-voice.ts";
import type { SentenceTask, SpokenSamples } from "../../src/voice/espeak-messages.ts";
import type { FetchedTask } from "../../src/voice/fetched/fetched-messages.ts";
import type { PieceAudio, PieceTask } from "../../src/voice/neural/neural-messages.ts";
import type { CheckpointChange } from "../conversation/checkpoint-change.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";
import type { PlayoutReport } from "../playout/playout-metrics.ts";
import type {
  AvatarFile,
  MessageFromProcess,
  MessageToProcess,
  Milestone,
  SessionCheckpoint,
  SessionTask,
  WorkerReply,
} from "../session/session-messages.ts";
import { setProcessPriority } from "./process-priority.ts";

const PROGRAM = new URL("../session/main.ts", import.meta.url);
/** A session leaves its room and reports its end within this; ms. */
const DEFAULT_STOP_TIMEOUT_MS = 6_000;
/** Names of environment variables that hold secrets, such as keys, passwords and the address of a database. A session
 *  process gets what it needs with its session. */
const SECRETS = /SECRET|PASSWORD|TOKEN|_KEY(_ID)?$|^DATABASE_|_HEADERS$/;
/** glibc otherwise keeps a heap of up to 64 MB for each thread, and, once a large block was freed, takes blocks of that
 *  size from the heap, which then stays large: the system gets blocks of 1 MiB back at once. */
const ALLOCATOR = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576", MALLOC_TRIM_THRESHOLD_: "1048576" };
/** libuv's default. The worker itself has more, for name look-ups. */
const FEW_THREADS = { UV_THREADPOOL_SIZE: "4" };
/** MiB. A session allocates little that lives long, and V8 would let its young generation grow to 48. */
const YOUNG_GENERATION = ["--max-semi-space-size=2"];

export interface SessionProcessOptions {
  /** Default: the program of avatar sessions. */
  program?: URL;
  /** The worker's own environment. The process gets it without the worker's secrets. */
  environment: NodeJS.ProcessEnv;
  /** Speaks a sentence with the formant voice for the process `owner`. Throws EngineError. */
  speak(task: SentenceTask, owner: string): Promise<SpokenSamples>;
  /** Loads an engine: the session of a process will probably speak with it. Default: does nothing. */
  warmUp?(engine: VoiceEngine): void;
  /** Makes a piece with the neural voice or a fetched voice for the process `owner`. Throws EngineError. */
  makePiece(task: PieceTask | FetchedTask, owner: string): Promise<PieceAudio>;
  /** Predicts whether a turn is over, for the process `owner`. Throws EngineError. */
  predictTurnEnd(task: TurnEndTask, owner: string): Promise<number>;
  /** Time to end a session before the process is killed, ms. Default 6,000. */
  stopTimeoutMs?: number;
}

/** What becomes of a session that a process serves. */
export interface ServingListener {
  onOpened(renderedBy: AvatarRenderer): void;
  onCheckpoint(checkpoint: SessionCheckpoint): void;
  onConversation(change: CheckpointChange): void;
  onTurn(times: TurnTimes): void;
  onConversationFault(part: ConversationFault): void;
  onMilestone(milestone: Milestone, atMs: number): void;
  onPlayout(report: PlayoutReport, cpuCores: number): void;
  onVacancy(isVacant: boolean): void;
  /** The avatar has left its room, because the session ends for this reason. */
  onLeft(reason: EndReason): void;
  /** The process is gone. `reason` is why the session ended; null if the process died before it had ended. */
  onGone(reason: EndReason | null): void;
}

type ProcessState = "loading" | "waiting" | "serving" | "gone";

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
  #state: ProcessState = "loading";
  #listener: ServingListener | null = null;
  #endReason: EndReason | null = null;
  #killTimer: NodeJS.Timeout | undefined;

  /** Starts the process. `isUrgent`: at normal priority, because a session waits for it. */
  constructor({ isUrgent }: { isUrgent: boolean }, options: SessionProcessOptions) {
    const { program = PROGRAM, environment, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
    this.#stopTimeoutMs = stopTimeoutMs;
    this.#options = options;
    this.#child = fork(fileURLToPath(program), [], {
      execArgv: [...YOUNG_GENERATION, ...moduleFlags(program)],
      env: { ...ALLOCATOR, ...withoutSecrets(environment), ...FEW_THREADS },
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
          if (this.#state === "loading") this.#state = "waiting";
          resolve(message.hopMs);
        } else this.#take(message);
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** Gives it a session, also while it loads. Once. */
  serve(task: SessionTask, listener: ServingListener): void {
    if (this.#state === "serving" || this.#listener) throw new Error("a process serves one session");
    this.#listener = listener;
    if (this.#state === "gone") {
      queueMicrotask(() => listener.onGone(null));
      return;
    }
    this.#state = "serving";
    if (this.#child.pid !== undefined) setProcessPriority(this.#child.pid, "normal");
    // It has the file of an avatar that it opens ahead.
    const imx = task.job.imx_sha256 === this.#aheadSha256 ? null : task.imx;
    this.#send({ type: "serve", task: { ...task, imx } });
  }

  /** Lets a process that waits open an avatar. Does nothing in any other state. Once. */
  openAhead(avatar: AvatarFile): void {
    if (this.#state !== "waiting") return;
    this.#aheadSha256 = avatar.sha256;
    this.#send({ type: "open", avatar });
  }

  /** Ends its session for this reason; without a session, ends the process at once. Resolves when it is gone. */
  async end(reason: EndReason): Promise<void> {
    if (this.#state === "serving") {
      this.#send({ type: "end", reason });
      this.#killTimer ??= setTimeout(() => this.#child.kill("SIGKILL"), this.#stopTimeoutMs);
    } else if (this.#state !== "gone") {
      this.#child.kill("SIGKILL");
    }
    await this.gone;
  }

  #take(message: MessageFromProcess): void {
    if (message.type === "checkpoint") this.#listener?.onCheckpoint(message.checkpoint);
    else if (message.type === "playout") this.#listener?.onPlayout(message.report, message.cpuCores);
    else if (message.type === "opened") this.#listener?.onOpened(message.renderedBy);
    else if (message.type === "milestone") this.#listener?.onMilestone(message.milestone, message.atMs);
    else if (message.type === "warm-up") this.#options.warmUp?.(message.engine);
    else if (message.type === "speak") void this.#speakFor(message.id, message.task);
    else if (message.type === "conversation") this.#listener?.onConversation(message.change);
    else if (message.type === "turn") this.#listener?.onTurn(message.times);
    else if (message.type === "conversation-fault") this.#listener?.onConversationFault(message.part);
    else if (message.type === "vacancy") this.#listener?.onVacancy(message.isVacant);
    else if (message.type === "left") this.#listener?.onLeft(message.reason);
    else if (message.type === "predict-turn-end") void this.#predictFor(message.id, message.task);
    else if (message.type === "make-piece") void this.#makePieceFor(message.id, message.task);
    else if (message.type === "ended") {
      this.#endReason = message.reason;
      this.#killTimer ??= setTimeout(() => this.#child.kill("SIGKILL"), this.#stopTimeoutMs);
    }
  }

  async #speakFor(id: number, task: SentenceTask): Promise<void> {
    const spoken = this.#options.speak(task, String(this.pid));
    this.#send({ type: "spoken", reply: await replyOf(id, spoken, "voice") });
  }

  async #makePieceFor(id: number, task: PieceTask | FetchedTask): Promise<void> {
    const piece = this.#options.makePiece(task, String(this.pid));
    this.#send({ type: "piece", reply: await replyOf(id, piece, "voice") });
  }

  async #predictFor(id: number, task: TurnEndTask): Promise<void> {
    const probability = this.#options.predictTurnEnd(task, String(this.pid));
    this.#send({ type: "turn-end", reply: await replyOf(id, probability, "end-of-turn") });
  }

  #leave(): void {
    clearTimeout(this.#killTimer);
    this.#state = "gone";
    this.#listener?.onGone(this.#endReason);
  }

  #send(message: MessageToProcess): void {
    // A failure means that the process has died, which `gone` reports.
    this.#child.send(message, () => undefined);
  }
}

/** Resolves with the result of a task, or with the error that it ended with. */
async function replyOf<Result>(id: number, task: Promise<Result>, name: string): Promise<WorkerReply<Result>> {
  try {
    return { id, result: await task };
  } catch (error) {
    const { code, message } = isEngineError(error)
      ? error
      : ({ code: "program-failed", message: `The ${name} process failed.` } as const);
    return { id, code, message };
  }
}

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.test(name)));
}
