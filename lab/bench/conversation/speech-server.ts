// A voice of a benchmark: a server with the OpenAI protocol's `/audio/speech` that sends its first audio after a known
// time, and knows when each of its words is heard.
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type LoopbackServer, startLoopbackServer } from "../../../cli/conversation/loopback-server.ts";
import { withoutSilence } from "../../../cli/conversation/person-voice.ts";
import { joinSamples } from "../../../src/signal/audio/join-samples.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";

/** Of `pcm` in the protocol. */
const RATE_HZ = 24_000;

export interface SpokenAnswer {
  text: string;
  /** When the request had arrived, ms of `performance.now`. */
  atMs: number;
  /** When its first audio was sent. */
  firstAudioAtMs: number;
  /** Length of its audio, ms. */
  durationMs: number;
  /** The middle of each word, ms from the start of its audio. */
  wordsMs: number[];
}

type Speech = Pick<SpokenAnswer, "durationMs" | "wordsMs"> & { bytes: Uint8Array };

const bodySchema = z.object({ input: z.string() });

export class SpeechServer {
  /** Oldest first. */
  readonly served: SpokenAnswer[] = [];
  readonly #voice = new EspeakVoice();
  readonly #firstAudioMs: number;
  readonly #cache = new Map<string, Promise<Speech>>();
  #server: LoopbackServer | undefined;

  private constructor(firstAudioMs: number) {
    this.#firstAudioMs = firstAudioMs;
  }

  /** Starts on a free port. `firstAudioMs`: from the request to the first audio, if the text was spoken before. */
  static async start(firstAudioMs: number): Promise<SpeechServer> {
    const speech = new SpeechServer(firstAudioMs);
    speech.#server = await startLoopbackServer(({ path, text, atMs }, response) => {
      if (path === "/v1/audio/speech") return speech.#answer(bodySchema.parse(JSON.parse(text)).input, atMs, response);
      response.writeHead(404).end();
    });
    return speech;
  }

  /** For AVATAR_VOICE_URL. */
  get baseUrl(): string {
    return `${this.#server?.url}/v1`;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#server?.close();
    await this.#voice.close();
  }

  async #answer(text: string, atMs: number, response: ServerResponse): Promise<void> {
    let speech = this.#cache.get(text);
    if (!speech) {
      speech = this.#speak(text);
      this.#cache.set(text, speech);
    }
    const { bytes, durationMs, wordsMs } = await speech;
    const waitMs = atMs + this.#firstAudioMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    this.served.push({ text, atMs, firstAudioAtMs: performance.now(), durationMs, wordsMs });
    response.writeHead(200, { "content-type": "audio/pcm" }).end(bytes);
  }

  async #speak(text: string): Promise<Speech> {
    const parts: Int16Array[] = [];
    const words: number[] = [];
    let beganMs = 0;
    for await (const sentence of joinPieces(this.#voice.synthesize(text))) {
      const resampler = new Resampler(sentence.sampleRateHz, RATE_HZ);
      parts.push(toInt16Samples(resampler.push(toFloatSamples(sentence.samples))));
      parts.push(toInt16Samples(resampler.flush()));
      for (const { startMs, endMs } of sentence.words) words.push(beganMs + (startMs + endMs) / 2);
      beganMs += (sentence.samples.length * 1000) / sentence.sampleRateHz;
    }
    // Silence at the beginning would be latency of this server.
    const { samples, leadMs } = withoutSilence(joinSamples(parts), RATE_HZ);
    return {
      bytes: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
      durationMs: (samples.length * 1000) / RATE_HZ,
      wordsMs: words.map((ms) => ms - leadMs),
    };
  }
}
