// The process of fetched voices, started on first use, ended when it was idle, and restarted after a crash.
import type { PieceAudio } from "../neural/neural-messages.ts";
import { NETWORK_DEFAULTS } from "../neural/neural-synthesizer.ts";
import { PooledSynthesizer, type SynthesizerOptions } from "../pooled-synthesizer.ts";
import type { Synthesizer } from "../synthesizer.ts";
import type { FetchedTask } from "./fetched-messages.ts";

/** Speaks single sentences. */
export type FetchedSentenceSynthesizer = Synthesizer<FetchedTask, PieceAudio>;

export class FetchedSynthesizer extends PooledSynthesizer<FetchedTask, PieceAudio> {
  /** Defaults: those of the neural voice, a sentence for a piece. */
  constructor(options: SynthesizerOptions = {}) {
    super({ module: new URL("./fetched-process.ts", import.meta.url), ...NETWORK_DEFAULTS, ...options });
  }
}
