// A child process that measures untrusted voice samples. Separate from the portrait process, because decoding audio may
// take long.

import { TaskPool } from "../../../program/child-process/task-pool.ts";
import type { Logger } from "../../../program/log.ts";
import { runForCaller, type TaskCaller } from "../portraits/portrait-process.ts";
import type { MeasuredVoice, VoiceTask } from "./measure-voice.ts";

const IDLE_MS = 120_000;
/** Decoding and measuring 30 s of audio takes about 2 s. */
const TIMEOUT_MS = 60_000;
/** Each waiting sample takes up to 50 MB. */
const MAX_WAITING = 8;
const MAX_WAITING_PER_ACCOUNT = 2;

/** What measures voice samples. */
export type VoiceMeter = Pick<VoiceProcess, "measure" | "close">;

/** Measures one sample at a time. The queue is bounded and takes tasks of the accounts in turn. */
export class VoiceProcess {
  readonly #pool: TaskPool<VoiceTask, MeasuredVoice>;
  readonly #ffmpegPath: string | undefined;

  constructor({ logger, ffmpegPath }: { logger: Logger; ffmpegPath?: string }) {
    this.#ffmpegPath = ffmpegPath;
    this.#pool = new TaskPool({
      module: new URL("voice-child.ts", import.meta.url),
      log: logger.child({ process: "voice" }),
      idleMs: IDLE_MS,
      showsOutput: true,
      maxWaiting: MAX_WAITING,
      maxWaitingPerOwner: MAX_WAITING_PER_ACCOUNT,
    });
  }

  /** Measures the voice in the first 30 s of an audio file. Throws VALIDATION_ERROR for a file without readable audio,
   *  and as `PortraitProcess.inspect`. */
  measure({ bytes }: { bytes: Uint8Array }, caller: TaskCaller = {}): Promise<MeasuredVoice> {
    return runForCaller(this.#pool, { bytes, ffmpegPath: this.#ffmpegPath }, caller, { timeoutMs: TIMEOUT_MS });
  }

  /** Ends the process and rejects unfinished tasks. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
