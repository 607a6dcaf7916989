// The neural voice's process, started on first use, ended when it was idle, and restarted after a crash.
import { PooledSynthesizer, type SynthesizerOptions } from "../pooled-synthesizer.ts";
import type { Synthesizer } from "../synthesizer.ts";
import type { PieceAudio, PieceTask } from "./neural-messages.ts";

/** Makes single pieces. */
export type PieceSynthesizer = Synthesizer<PieceTask, PieceAudio>;

/** What processes of networks have in common. Each speaker asks for one task at a time, which takes half a second to a
 *  second on a free machine. Live sessions come first: each has a video frame due every 40 ms, and sound is made ahead
 *  of time. At priority 5, the process gets a quarter of a core that a session also wants. Source: the weights of
 *  Linux, 335 beside 1024. */
export const NETWORK_DEFAULTS = {
  queueLimit: 16,
  maxWaiting: 64,
  timeoutMs: 30_000,
  idleMs: 10 * 60_000,
  niceness: 5,
};

export class NeuralSynthesizer extends PooledSynthesizer<PieceTask, PieceAudio> {
  /** Defaults: 16 pieces of an owner, 30 s for each, priority 5, ended after ten minutes without a piece. */
  constructor(options: SynthesizerOptions = {}) {
    super({ module: new URL("./neural-process.ts", import.meta.url), ...NETWORK_DEFAULTS, ...options });
  }
}
