// The built-in voice: eSpeak NG in a process of its own, started when first needed and again if it dies.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ServiceError } from "../../shared/errors.ts";
import type { EspeakAnswer, EspeakRequest } from "./espeak-messages.ts";
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
/** The process starts in half a second, and in twenty on a machine with ten times too much to do. */
const DEFAULT_START_TIMEOUT_MS = 60_000;

export interface EspeakVoiceOptions {
  /** Sentences that may wait at a time; more are refused with SERVICE_UNAVAILABLE. Default 64. */
  queueLimitSentences?: number;
  /** Longest wait for one sentence, ms. After it the process is ended and the next sentence starts a fresh one. Default 15,000. */
  timeoutMs?: number;
  /** Added to that while the process starts, ms. Default 60,000. */
  startTimeoutMs?: number;
}

interface PendingSentence {
  resolve(answer: Extract<EspeakAnswer, { type: "spoken" }>): void;
  reject(error: ServiceError): void;
}

/** A voice on eSpeak NG: ten built-in voices, 31 languages, 22,050 Hz. Nothing is started before the first sentence. */
export class EspeakVoice implements Voice {
  readonly #queueLimitSentences: number;
  readonly #timeoutMs: number;
  readonly #startTimeoutMs: number;
  readonly #pending = new Map<number, PendingSentence>();
  #process: ChildProcess | undefined;
  #isReady = false;
  #nextId = 1;
  #isClosed = false;

  constructor(options: EspeakVoiceOptions = {}) {
    this.#queueLimitSentences = options.queueLimitSentences ?? DEFAULT_QUEUE_LIMIT_SENTENCES;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#startTimeoutMs = options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  }

  /** Starts the process ahead of the first sentence, which then waits for nothing. Safe to repeat. */
  warmUp(): void {
    if (!this.#isClosed) this.#running();
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenSentence> {
    const voiceId = options.voiceId ?? DEFAULT_VOICE_ID;
    if (!isVoiceId(voiceId)) {
      throw new ServiceError(
        "VOICE_NOT_FOUND",
        `Voice not found: ${voiceId}. There are ${Object.keys(VOICES).join(", ")}.`,
      );
    }
    const speed = options.speed ?? DEFAULT_SPEED;
    if (!(speed >= 0.7 && speed <= 2)) throw new ServiceError("VALIDATION_ERROR", "speed must be between 0.7 and 2.0");
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

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#process;
    this.#abandon(new ServiceError("SERVICE_UNAVAILABLE", "The voice has been closed"));
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.ref();
    running.kill("SIGKILL");
    await ended;
  }

  #speak(request: Omit<EspeakRequest, "id">): Promise<Extract<EspeakAnswer, { type: "spoken" }>> {
    if (this.#isClosed) throw new ServiceError("SERVICE_UNAVAILABLE", "The voice has been closed");
    if (this.#pending.size >= this.#queueLimitSentences) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "Too much speech is waiting", { retryAfterSeconds: 2 });
    }
    const id = this.#nextId++;
    const running = this.#running();
    return new Promise((resolve, reject) => {
      const waitMs = this.#isReady ? this.#timeoutMs : this.#startTimeoutMs + this.#timeoutMs;
      const timer = setTimeout(() => {
        // A synthesizer that hangs holds up everyone behind this sentence too.
        this.#fail(running, new ServiceError("UPSTREAM_TIMEOUT", "The voice did not answer in time"));
      }, waitMs);
      this.#pending.set(id, {
        resolve: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      running.send({ ...request, id } satisfies EspeakRequest, (error) => {
        if (error) this.#fail(running, new ServiceError("UPSTREAM_ERROR", "The voice has failed", { cause: error }));
      });
    });
  }

  #running(): ChildProcess {
    if (this.#process) return this.#process;
    const started = fork(fileURLToPath(new URL("./espeak-process.ts", import.meta.url)), {
      execArgv: ["--import", import.meta.resolve("tsx")],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // The process needs no secret of ours, and its library is foreign code.
      env: {},
    });
    started.on("message", (answer: EspeakAnswer) => this.#receive(started, answer));
    started.on("exit", () => this.#fail(started, new ServiceError("UPSTREAM_ERROR", "The voice has failed")));
    started.on("error", (cause) =>
      this.#fail(started, new ServiceError("UPSTREAM_ERROR", "The voice could not be started", { cause })),
    );
    // An idle synthesizer must not keep its parent alive; a waiting sentence does, through its timer.
    started.unref();
    started.channel?.unref();
    this.#process = started;
    this.#isReady = false;
    return started;
  }

  #receive(from: ChildProcess, answer: EspeakAnswer): void {
    if (answer.type === "ready") {
      this.#isReady = from === this.#process;
      return;
    }
    if (answer.type === "unusable") {
      const message = answer.missing
        ? "No voice is installed: run `npm install @echogarden/espeak-ng-emscripten`"
        : "The voice could not be loaded";
      this.#fail(from, new ServiceError("SERVICE_UNAVAILABLE", message, { cause: answer.message }));
      return;
    }
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.type === "spoken") pending?.resolve(answer);
    else pending?.reject(new ServiceError("UPSTREAM_ERROR", "The voice has failed", { cause: answer.message }));
  }

  /** Gives up a process and all that waits for it; the next sentence starts a fresh one. Late news of an old one is ignored. */
  #fail(failed: ChildProcess, error: ServiceError): void {
    if (this.#process !== failed) return;
    failed.kill("SIGKILL");
    this.#abandon(error);
  }

  #abandon(error: ServiceError): void {
    this.#process = undefined;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(error);
  }
}
