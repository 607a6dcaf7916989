// The voice that speaks unless the operator chose another one: the neural voice in its languages, the formant voice in
// all others.
import { EngineError } from "../engine-error.ts";
import { EspeakSynthesizer } from "./espeak-synthesizer.ts";
import { EspeakVoice } from "./espeak-voice.ts";
import { hasNeuralFiles } from "./neural/network-graphs.ts";
import { speaksNeurally } from "./neural/neural-languages.ts";
import { NeuralVoice } from "./neural/neural-voice.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "./voice.ts";
import { DEFAULT_LANGUAGE } from "./voice-catalogue.ts";

/** Engines of the built-in voices. */
export type VoiceEngine = "neural" | "formant";

/** The setting AVATAR_VOICE; empty means `neural`. Throws EngineError(invalid-input) for any other value. */
export function parseVoiceEngine(value: string | undefined): VoiceEngine {
  if (value === undefined || value === "") return "neural";
  if (value === "neural" || value === "formant") return value;
  throw new EngineError("invalid-input", `AVATAR_VOICE must be neural or formant, not "${value}".`);
}

export interface DefaultVoiceOptions {
  /** `neural`: the neural voice where it speaks the language and its files are installed. Default `neural`. */
  engine?: VoiceEngine;
  /** Whether the files of the neural voice are installed. Default: looks for them. */
  isInstalled?: boolean;
  /** Default: a voice with a process of its own. */
  neural?: Voice;
  /** Default: a voice with a process of its own. */
  formant?: Voice;
}

export class DefaultVoice implements Voice {
  readonly #neural: Voice | undefined;
  readonly #formant: Voice;

  /** Starts nothing before the first sentence. `close()` closes both voices. */
  constructor(options: DefaultVoiceOptions = {}) {
    const { engine = "neural", isInstalled = hasNeuralFiles() } = options;
    const formants = new EspeakSynthesizer();
    if (engine === "neural" && isInstalled) this.#neural = options.neural ?? new NeuralVoice({ formants });
    this.#formant = options.formant ?? new EspeakVoice(formants);
  }

  synthesize(text: string, options: SpeechOptions = {}): AsyncIterable<SpokenPiece> {
    return this.#voiceOf(options.language).synthesize(text, options);
  }

  warmUp(language?: string): void {
    this.#voiceOf(language).warmUp?.();
  }

  async close(): Promise<void> {
    await Promise.all([this.#neural?.close(), this.#formant.close()]);
  }

  #voiceOf(language = DEFAULT_LANGUAGE): Voice {
    return (speaksNeurally(language) && this.#neural) || this.#formant;
  }
}
