// A child process that measures voice samples of strangers, apart from the one that inspects pictures: decoding sound may take long.
import type { Logger } from "../../../shared/log.ts";
import { TaskPool } from "../../../src/child-process/task-pool.ts";
import type { MeasuredVoice } from "./measure-voice.ts";
import { runForCaller, type TaskCaller } from "./portrait-process.ts";

const IDLE_MS = 120_000;
/** Half a minute of sound is decoded and measured in about two seconds. */
const TIMEOUT_MS = 60_000;
/** A waiting sample has up to 50 MB. */
const MAX_WAITING = 8;
const MAX_WAITING_PER_ACCOUNT = 2;

export interface VoiceTask {
  /** Sound file as received. */
  bytes: Uint8Array;
}

/** Measures one sample at a time. Accounts take turns in its bounded queue. */
export class VoiceProcess {
  readonly #pool: TaskPool<VoiceTask, MeasuredVoice>;

  constructor({ logger }: { logger: Logger }) {
    this.#pool = new TaskPool({
      module: new URL("voice-child.ts", import.meta.url),
      log: logger.child({ process: "voice" }),
      idleMs: IDLE_MS,
      showsOutput: true,
      maxWaiting: MAX_WAITING,
      maxWaitingPerOwner: MAX_WAITING_PER_ACCOUNT,
    });
  }

  /** Measures the voice in the first half minute of a sound file. Throws UNSUPPORTED_TYPE for a file without readable sound, and as
   *  `PortraitProcess.inspect`. */
  measure(task: VoiceTask, caller: TaskCaller = {}): Promise<MeasuredVoice> {
    return runForCaller(this.#pool, task, caller, { timeoutMs: TIMEOUT_MS });
  }

  /** Ends the process; tasks that are not done are rejected. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
