// eSpeak NG in a process of its own, started on first use and restarted after a crash.
import type { SentenceTask, SpokenSamples } from "./espeak-messages.ts";
import { PooledSynthesizer, type SynthesizerOptions } from "./pooled-synthesizer.ts";
import type { Synthesizer } from "./synthesizer.ts";

/** A sentence takes 5 to 100 ms. The process takes little memory and is kept. */
const DEFAULTS = { queueLimit: 64, timeoutMs: 15_000 };

/** Speaks single sentences. */
export type SentenceSynthesizer = Synthesizer<SentenceTask, SpokenSamples>;

export class EspeakSynthesizer extends PooledSynthesizer<SentenceTask, SpokenSamples> {
  /** Defaults: 64 sentences of an owner, 15 s for each. */
  constructor(options: SynthesizerOptions = {}) {
    super({ module: new URL("./espeak-process.ts", import.meta.url), ...DEFAULTS, ...options });
  }
}
