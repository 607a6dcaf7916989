// The voice of the service: the neural voice in its languages, a voice that the operator has fetched in others, and the
// formant voice in the rest. A fetched voice also speaks by its id. A designed voice is one of them with its sound
// changed.
import { EngineError } from "../../../shared/engine-error.ts";
import { DEFAULT_LANGUAGE } from "../languages/languages.ts";
import { EspeakSynthesizer } from "./espeak-synthesizer.ts";
import { EspeakVoice } from "./espeak-voice.ts";
import type { FetchedVoice } from "./fetched/fetched-voice.ts";
import { hasNeuralFiles } from "./neural/network-graphs.ts";
import { speaksNeurally } from "./neural/neural-languages.ts";
import { NeuralVoice } from "./neural/neural-voice.ts";
import { shapePieces } from "./shaping/shape-pieces.ts";
import { shapedSpeech } from "./shaping/shaped-speech.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "./voice.ts";
import { isVoiceId } from "./voice-catalogue.ts";

/** Engines of the built-in voices. */
export type VoiceEngine = "neural" | "formant" | "remote";

export interface DefaultVoiceOptions {
  /** `neural`: the neural voice where it speaks the language and its files are installed. `remote`: `remote` speaks
   *  everything. Default `neural`. */
  engine?: VoiceEngine;
  /** Whether the files of the neural voice are installed. Default: looks for them. */
  isInstalled?: boolean;
  /** Default: a voice with a process of its own. */
  neural?: Voice;
  /** Default: a voice with a process of its own. */
  formant?: Voice;
  /** Needed for the engine `remote`. */
  remote?: Voice;
  /** Default: no fetched voices. */
  fetched?: FetchedVoice;
}

export class DefaultVoice implements Voice {
  readonly #neural: Voice | undefined;
  readonly #formant: Voice;
  readonly #fetched: FetchedVoice | undefined;
  readonly #remote: Voice | undefined;

  /** Starts nothing before the first sentence. `close()` closes all voices. Throws EngineError(invalid-input) for the
   *  engine `remote` without a remote voice. */
  constructor(options: DefaultVoiceOptions = {}) {
    const { engine = "neural", isInstalled = hasNeuralFiles() } = options;
    const formants = new EspeakSynthesizer();
    if (engine === "neural" && isInstalled) this.#neural = options.neural ?? new NeuralVoice({ formants });
    this.#formant = options.formant ?? new EspeakVoice(formants);
    this.#fetched = options.fetched;
    if (engine !== "remote") return;
    if (!options.remote) throw new EngineError("invalid-input", "AVATAR_VOICE=remote needs AVATAR_VOICE_URL.");
    this.#remote = options.remote;
  }

  async *synthesize(text: string, speech: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { options, shape } = shapedSpeech(speech);
    const { voice, voiceId } = this.#choose(options);
    const pieces = voice.synthesize(text, { ...options, voiceId });
    yield* shape ? shapePieces(pieces, shape) : pieces;
  }

  warmUp(language?: string): void {
    this.#choose({ language }).voice.warmUp?.(language);
  }

  async close(): Promise<void> {
    await Promise.all([this.#neural?.close(), this.#formant.close(), this.#fetched?.close(), this.#remote?.close()]);
  }

  #choose({ language = DEFAULT_LANGUAGE, voiceId }: SpeechOptions): { voice: Voice; voiceId?: string } {
    const fetched = this.#fetched;
    if (fetched && voiceId !== undefined && !isVoiceId(voiceId) && fetched.has(voiceId))
      return { voice: fetched, voiceId };
    if (this.#remote) return { voice: this.#remote, voiceId };
    // An operator who chose the formant voice has little memory.
    if (!this.#neural) return { voice: this.#formant, voiceId };
    if (speaksNeurally(language)) return { voice: this.#neural, voiceId };
    const inLanguage = fetched?.voiceFor(language);
    return fetched && inLanguage ? { voice: fetched, voiceId: inLanguage } : { voice: this.#formant, voiceId };
  }
}
