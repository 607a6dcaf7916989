// A voice on a server that the operator or an account chose: any with the OpenAI protocol's `/audio/speech`. A request
// for each sentence; its audio is passed on as it arrives. These servers tell no times: lips follow what is heard.

import { EngineError, isEngineError } from "../../../../shared/engine-error.ts";
import { joinSamples } from "../../../signal/audio/join-samples.ts";
import { PcmDecoder } from "../../../signal/audio/pcm-decoder.ts";
import { DEFAULT_LANGUAGE } from "../../languages/languages.ts";
import { prepareSpeech } from "../../text/prepare-speech.ts";
import { DEFAULT_SPEED, parseSpeed } from "../speech-options.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice.ts";
import { DEFAULT_VOICE_ID } from "../voice-catalogue.ts";
import type { RemoteVoiceSettings } from "./remote-voice-settings.ts";
import { fetchSpeech, type RequestSpeech, type SpeechAnswer } from "./request-speech.ts";

/** Of `pcm`: int16, little-endian, mono. Source: OpenAI's description. */
export const REMOTE_VOICE_RATE_HZ = 24_000;
/** Smaller parts are joined. */
const LEAST_PIECE_SAMPLES = REMOTE_VOICE_RATE_HZ / 10;
/** A sentence has at most 280 characters. */
const MAX_SENTENCE_SAMPLES = 120 * REMOTE_VOICE_RATE_HZ;
/** What an error message may be. */
const NOT_AUDIO = /^(?:text|application\/(?:json|problem))/i;

export class RemoteVoice implements Voice {
  readonly #settings: RemoteVoiceSettings;
  readonly #request: RequestSpeech;
  readonly #closed = new AbortController();

  /** Connects with the first sentence. `request`: default by `fetch`. */
  constructor(settings: RemoteVoiceSettings, request: RequestSpeech = fetchSpeech(settings)) {
    this.#settings = settings;
    this.#request = request;
  }

  /** Any `voiceId` is sent, because only the server knows its voices. Throws EngineError: upstream-unavailable (not
   *  reached, busy, or it broke off), timeout, program-failed (it refused, or did not send audio). */
  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const { voiceId = DEFAULT_VOICE_ID, language = DEFAULT_LANGUAGE } = options;
    const speed = parseSpeed(options.speed ?? DEFAULT_SPEED);
    const { model, names } = this.#settings;
    for (const { text: input, goesOn } of prepareSpeech(text, language, options)) {
      const voice = names[voiceId] ?? voiceId;
      const json = JSON.stringify({ model, input, voice, speed, response_format: "pcm" });
      for await (const piece of this.#speakSentence(input, json)) yield { ...piece, goesOn };
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new EngineError("unavailable", "The voice is closed."));
  }

  async *#speakSentence(text: string, json: string): AsyncGenerator<SpokenPiece> {
    const request = new TimedRequest(this.#settings.timeoutMs, this.#closed.signal);
    let sentence: SpokenPiece["sentence"] = { text, phonemes: [], words: [], visemes: [] };
    let held: Int16Array | undefined;
    let total = 0;
    try {
      const answer = await request.wait(this.#request(json, request.signal));
      assertAudio(answer);
      for await (const samples of request.read(samplesOf(answer.body))) {
        total += samples.length;
        if (total > MAX_SENTENCE_SAMPLES) throw new EngineError("program-failed", "The voice server does not stop.");
        // One part is held back, because only then it is known which is the last.
        if (held && held.length >= LEAST_PIECE_SAMPLES) {
          yield { sampleRateHz: REMOTE_VOICE_RATE_HZ, samples: held, sentence, endsSentence: false };
          sentence = undefined;
          held = samples;
        } else held = held ? joinSamples([held, samples]) : samples;
      }
    } catch (error) {
      throw request.errorOf(error);
    } finally {
      request.end();
    }
    if (!held) throw new EngineError("program-failed", "The voice server sent no audio.");
    yield { sampleRateHz: REMOTE_VOICE_RATE_HZ, samples: held, sentence, endsSentence: true };
  }
}

/** A request that is given up when nothing comes for a time, when the voice is closed, and when it is not read any
 *  more. */
class TimedRequest {
  readonly #timeoutMs: number;
  readonly #late = new AbortController();
  readonly #closed: AbortSignal;
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, closed: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#closed = closed;
    this.signal = AbortSignal.any([this.#late.signal, closed]);
  }

  /** Waits for something, no longer than the limit. */
  async wait<T>(awaited: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#late.abort(), this.#timeoutMs);
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Parts, each waited for no longer than the limit. */
  async *read<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
    for (;;) {
      const part = await this.wait(parts.next());
      if (part.done) return;
      yield part.value;
    }
  }

  /** Drops the connection if it still sends. */
  end(): void {
    this.#late.abort();
  }

  /** What callers are told. */
  errorOf(cause: unknown): unknown {
    if (isEngineError(cause)) return cause;
    if (this.#closed.aborted) return this.#closed.reason;
    if (this.#late.signal.aborted) {
      return new EngineError("timeout", `The voice server sent nothing for ${this.#timeoutMs / 1000} s.`, { cause });
    }
    return new EngineError("upstream-unavailable", "The voice server cannot be reached, or broke off.", { cause });
  }
}

function assertAudio({ status, contentType }: SpeechAnswer): void {
  if (status === 429 || status >= 500) {
    throw new EngineError("upstream-unavailable", `The voice server answered with status ${status}.`);
  }
  if (status !== 200) {
    throw new EngineError("program-failed", `The voice server refused the request with status ${status}.`);
  }
  if (NOT_AUDIO.test(contentType)) {
    throw new EngineError("program-failed", "The voice server did not answer with audio.");
  }
}

/** The samples of a stream of parts that may end within one. A last half sample is dropped. */
async function* samplesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
  const decoder = new PcmDecoder(1);
  for await (const part of body) {
    const samples = decoder.push(part);
    if (samples.length > 0) yield samples;
  }
}
