// The lip-sync network on our executor: one stream of a program that other streams share.
import { assertHop } from "../assert-hop.ts";
import type { LipSyncNetwork, LipSyncOutput } from "../lip-sync-network.ts";
import { answerOf } from "./answer-of.ts";
import { HALF_LOGITS, VISEME_LOGITS } from "./lip-sync-graph.ts";
import type { LipSyncProgram } from "./lip-sync-program.ts";

/** Allocates nothing per hop. NaN in a hop counts as silence, values beyond ±8 as ±8. */
export class ExecutedLipSyncNetwork implements LipSyncNetwork {
  readonly #program: LipSyncProgram;
  readonly #stream: number;
  readonly #output: LipSyncOutput = {
    visemes: new Float32Array(2 * VISEME_LOGITS),
    closures: new Float32Array(2),
  };
  #isClosed = false;

  constructor(program: LipSyncProgram) {
    this.#program = program;
    this.#stream = program.openStream();
  }

  /** Throws Error after `close`. */
  run(hop: Float32Array): LipSyncOutput {
    assertHop(hop);
    this.#assertOpen();
    const logits = this.#program.step(this.#stream, hop);
    for (let half = 0; half < 2; half++) answerOf(logits, half * HALF_LOGITS, this.#program.tuning, half, this.#output);
    return this.#output;
  }

  reset(): void {
    this.#assertOpen();
    this.#program.resetStream(this.#stream);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#program.closeStream(this.#stream);
  }

  #assertOpen(): void {
    // Its memory may belong to another stream.
    if (this.#isClosed) throw new Error("the lip-sync network is closed");
  }
}
