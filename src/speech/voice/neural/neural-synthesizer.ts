// The neural voice's processes, started on first use, ended when they were idle, and restarted after a crash.
import { availableParallelism } from "node:os";
import { PooledSynthesizer, type SynthesizerOptions } from "../pooled-synthesizer.ts";
import type { Synthesizer } from "../synthesizer.ts";
import type { PieceAudio, PieceTask } from "./neural-messages.ts";

/** Makes single pieces. */
export type PieceSynthesizer = Synthesizer<PieceTask, PieceAudio>;

/** What processes of networks have in common. Each speaker asks for one task at a time, which takes half a second to a
 *  second on a free machine. Live sessions come first: each has a video frame due every 40 ms, and audio is made ahead
 *  of time. At priority 5, the process gets a quarter of a core that a session also wants. Source: the weights of
 *  Linux, 335 beside 1024. */
export const NETWORK_DEFAULTS = {
  queueLimit: 16,
  maxWaiting: 64,
  timeoutMs: 30_000,
  idleMs: 10 * 60_000,
  niceness: 5,
};

/** Each takes 350 MB, and a core while it speaks. The other half of the cores is for the sessions: a second process on
 *  two cores made two speakers a quarter faster, and their video frames late. */
const MOST_PROCESSES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
/** A process with VNNI makes a piece in half that time: two speakers do not wait longer for each other. */
const GROW_AFTER_MS = 700;

export class NeuralSynthesizer extends PooledSynthesizer<PieceTask, PieceAudio> {
  /** Defaults: 16 pieces of an owner, 30 s for each, priority 5, ended after ten minutes without a piece; one process,
   *  and more while speakers wait for each other, one for two cores and four at most. */
  constructor(options: SynthesizerOptions = {}) {
    super({
      module: new URL("./neural-process.ts", import.meta.url),
      processes: MOST_PROCESSES,
      growAfterMs: GROW_AFTER_MS,
      ...NETWORK_DEFAULTS,
      ...options,
    });
  }
}
