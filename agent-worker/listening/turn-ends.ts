// The end-of-turn model of a host: one process for all conversations, started on first use and ended after minutes
// without a turn.
import { TaskPool, type TaskPoolOptions } from "../../program/child-process/task-pool.ts";
import { toEngineError } from "../../program/child-process/to-engine-error.ts";
import { EngineError } from "../../shared/engine-error.ts";
import type { TurnEndTask } from "./turn-end-messages.ts";

export type TurnEndsOptions = Pick<TaskPoolOptions, "idleMs" | "log" | "niceness">;

/** What the model takes: 1.2 s at 16 kHz. */
export const TURN_END_SAMPLES = 19_200;
/** A prediction that comes later decides nothing: the pause is then long enough. */
const MAX_WAIT_MS = 2_000;
/** A prediction takes 45 ms, and the model loads before the first one. */
const TIMEOUT_MS = 10_000;
const MAX_WAITING = 64;
const MAX_WAITING_PER_OWNER = 2;
const DEFAULT_IDLE_MS = 10 * 60_000;

/** Tells whether a person who pauses has finished, from how the last words sound. Nothing leaves the machine. */
export class TurnEnds {
  readonly #pool: TaskPool<TurnEndTask, number>;

  /** Starts nothing yet. */
  constructor({ idleMs = DEFAULT_IDLE_MS, niceness, log }: TurnEndsOptions = {}) {
    this.#pool = new TaskPool({
      module: new URL("./turn-end-process.ts", import.meta.url),
      maxWaiting: MAX_WAITING,
      maxWaitingPerOwner: MAX_WAITING_PER_OWNER,
      idleMs,
      niceness,
      log,
    });
  }

  /** Loads the model ahead of the first pause. Safe to repeat. Never throws. */
  warmUp(): void {
    this.#pool.warmUp();
  }

  /** Probability, 0 to 1, that the turn is over; compare with `endOfTurnThreshold`. `samples`: the end of what the
   *  person said with the pause after it, mono at 16 kHz; of longer ones the last 1.2 s count. `owner`: owners take
   *  turns. Throws EngineError: invalid-input (no samples); unavailable (too many predictions wait, no model, or
   *  closed); timeout or program-failed. Rejects with the signal's reason if it is aborted. */
  async predict(samples: Int16Array, owner?: string, signal?: AbortSignal): Promise<number> {
    if (samples.length === 0) throw new EngineError("invalid-input", "The end of a turn needs samples.");
    const options = { timeoutMs: TIMEOUT_MS, maxWaitMs: MAX_WAIT_MS, owner, signal };
    try {
      return await this.#pool.run({ samples: samples.slice(-TURN_END_SAMPLES) }, options);
    } catch (error) {
      throw toEngineError(error, "end-of-turn model", "turns");
    }
  }

  /** Ends the process; predictions that are not made yet fail. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}
