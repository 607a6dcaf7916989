// The neural voice's process, started on first use, ended when it was idle, and restarted after a crash.
import type { TaskProcessLog } from "../../child-process/task-process.ts";
import { PooledSynthesizer } from "../pooled-synthesizer.ts";
import type { Synthesizer } from "../synthesizer.ts";
import type { PieceAudio, PieceTask } from "./neural-messages.ts";

/** Makes single pieces. */
export type PieceSynthesizer = Synthesizer<PieceTask, PieceAudio>;

const DEFAULT_QUEUE_LIMIT_PIECES = 16;
/** Each speaker asks for one piece at a time. */
const MOST_WAITING = 64;
/** A piece takes half a second to a second on a free machine. */
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_IDLE_MS = 10 * 60_000;
/** Live sessions come first: each has a video frame due every 40 ms, and a piece is made ahead of time. At 5, the
 *  process gets a quarter of a core that a session also wants. Source: the weights of Linux, 335 beside 1024. */
const NICENESS = 5;

export interface NeuralSynthesizerOptions {
  /** Most pieces of one owner that are made or wait at a time; more are refused with unavailable. Default 16. */
  queueLimitPieces?: number;
  /** Time limit of one piece, ms. After it the process is killed, and the next piece starts a fresh one. Default
   *  30,000. */
  timeoutMs?: number;
  /** The process is ended after this time without a piece, ms. Default ten minutes. */
  idleMs?: number;
  /** Scheduling priority of the process, 0 to 19. Default 5. */
  niceness?: number;
  /** Default: nothing is logged. */
  log?: TaskProcessLog;
}

export class NeuralSynthesizer extends PooledSynthesizer<PieceTask, PieceAudio> {
  constructor(options: NeuralSynthesizerOptions = {}) {
    super({
      module: new URL("./neural-process.ts", import.meta.url),
      log: options.log,
      niceness: options.niceness ?? NICENESS,
      idleMs: options.idleMs ?? DEFAULT_IDLE_MS,
      maxWaiting: MOST_WAITING,
      queueLimit: options.queueLimitPieces ?? DEFAULT_QUEUE_LIMIT_PIECES,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
  }
}
