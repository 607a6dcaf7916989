// The built-in voice: eSpeak NG in its own process, started on first use and restarted after a crash.

import { isTaskError, type TaskError } from "../child-process/task-error.ts";
import { TaskPool } from "../child-process/task-pool.ts";
import { EngineError } from "../engine-error.ts";
import type { SentenceTask, SpokenSamples } from "./espeak-messages.ts";
import { espeakVisemes } from "./espeak-visemes.ts";
import { splitSentences } from "./sentences.ts";
import type { SpeechOptions, SpokenSentence, Voice } from "./voice.ts";
import { DEFAULT_LANGUAGE, DEFAULT_VOICE_ID, isVoiceId, synthesizerVoiceName, VOICES } from "./voice-catalogue.ts";

/** Tempo of a plain voice at speed 1; eSpeak NG's own default is 175. */
const NEUTRAL_RATE_WPM = 160;
/** The contract's default for `speed`. */
const DEFAULT_SPEED = 1.05;
const DEFAULT_QUEUE_LIMIT_SENTENCES = 64;
/** A sentence takes 5 to 100 ms. */
const DEFAULT_TIMEOUT_MS = 15_000;

export interface EspeakVoiceOptions {
  /** Most sentences that are spoken or wait at a time; more are refused with unavailable. Default 64. */
  queueLimitSentences?: number;
  /** Time limit of one sentence, ms. After it the process is killed, and the next sentence starts a fresh one. Default
   *  15,000. */
  timeoutMs?: number;
  /** Added to that while the process starts, ms. Default 60,000. */
  startTimeoutMs?: number;
}

/** A voice on eSpeak NG: ten built-in voices, 31 languages, 22,050 Hz. Nothing is started before the first sentence. */
export class EspeakVoice implements Voice {
  readonly #pool: TaskPool<SentenceTask, SpokenSamples>;
  readonly #timeoutMs: number;

  constructor(options: EspeakVoiceOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#pool = new TaskPool({
      module: new URL("./espeak-process.ts", import.meta.url),
      startTimeoutMs: options.startTimeoutMs,
      // One more is being spoken.
      maxWaiting: (options.queueLimitSentences ?? DEFAULT_QUEUE_LIMIT_SENTENCES) - 1,
    });
  }

  /** Starts the process ahead of the first sentence, which then waits for nothing. Safe to repeat. */
  warmUp(): void {
    this.#pool.warmUp();
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenSentence> {
    const voiceId = options.voiceId ?? DEFAULT_VOICE_ID;
    if (!isVoiceId(voiceId)) {
      throw new EngineError(
        "unknown-voice",
        `Voice not found: ${voiceId}. Available: ${Object.keys(VOICES).join(", ")}.`,
      );
    }
    const speed = options.speed ?? DEFAULT_SPEED;
    if (!(speed >= 0.7 && speed <= 2)) throw new EngineError("invalid-input", "speed must be between 0.7 and 2.0");
    const language = options.language ?? DEFAULT_LANGUAGE;
    const settings = VOICES[voiceId];
    const voiceName = synthesizerVoiceName(language, settings);
    for (const sentence of splitSentences(text, language)) {
      const { samples, sampleRateHz, phonemes, words } = await this.#speak({
        text: sentence,
        voiceName,
        pitch: settings.pitch,
        range: settings.range,
        rateWpm: Math.round(NEUTRAL_RATE_WPM * settings.tempo * speed),
      });
      const visemes = espeakVisemes(phonemes, (samples.length * 1000) / sampleRateHz);
      yield { text: sentence, sampleRateHz, samples, phonemes, words, visemes };
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #speak(task: SentenceTask): Promise<SpokenSamples> {
    try {
      return await this.#pool.run(task, { timeoutMs: this.#timeoutMs });
    } catch (error) {
      throw isTaskError(error) ? toEngineError(error) : error;
    }
  }
}

function toEngineError(cause: TaskError): EngineError {
  switch (cause.reason) {
    case "busy":
      return new EngineError("unavailable", "Too many sentences are waiting for the voice. Try again.", { cause });
    case "closed":
      return new EngineError("unavailable", "The voice is closed.", { cause });
    case "timeout":
      return new EngineError("timeout", "The voice did not answer in time. Try again.", { cause });
    default:
      return new EngineError("program-failed", "The voice process failed.", { cause });
  }
}
