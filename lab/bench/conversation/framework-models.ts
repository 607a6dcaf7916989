// The model servers of the benchmark as components of LiveKit's agent framework, written as plainly as its own plugins:
// a recogniser without streaming, a language model that streams, and a voice that streams the audio of a sentence.

import { randomUUID } from "node:crypto";
import {
  AudioByteStream,
  DEFAULT_API_CONNECT_OPTIONS,
  llm,
  mergeFrames,
  normalizeLanguage,
  stt,
  tts,
} from "@livekit/agents";
import { z } from "zod";
import { PERSON_RATE_HZ } from "../../../cli/conversation/scripted-person.ts";
import type { ConversationStt } from "../../../src/conversation/turns/conversation-parts.ts";
import { joinSamples } from "../../../src/signal/audio/join-samples.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";

const SPEECH_RATE_HZ = 24_000;
const LANGUAGE = "en";

/** Recognises utterances that are complete. */
export class ServerStt extends stt.STT {
  label = "bench.STT";
  readonly #stt: ConversationStt;

  constructor(stt: ConversationStt) {
    super({ streaming: false, interimResults: false });
    this.#stt = stt;
  }

  protected async _recognize(
    buffer: Parameters<stt.STT["recognize"]>[0],
    signal = new AbortController().signal,
  ): Promise<stt.SpeechEvent> {
    const { data, sampleRate } = mergeFrames(buffer);
    const resampler = new Resampler(sampleRate, PERSON_RATE_HZ);
    const most = toInt16Samples(resampler.push(toFloatSamples(data)));
    const samples = joinSamples([most, toInt16Samples(resampler.flush())]);
    const { text } = await this.#stt.transcribe(samples, { language: LANGUAGE, signal });
    const language = normalizeLanguage(LANGUAGE);
    const heard = { text, language, startTime: 0, endTime: samples.length / PERSON_RATE_HZ, confidence: 1 };
    return { type: stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives: [heard] };
  }

  stream(): never {
    throw new Error("the framework wraps this recogniser, which does not stream");
  }
}

/** Chat completions by server-sent events. */
export class ServerLlm extends llm.LLM {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    super();
    this.#baseUrl = baseUrl;
  }

  label(): string {
    return "bench.LLM";
  }

  chat({ chatCtx, connOptions = DEFAULT_API_CONNECT_OPTIONS }: Parameters<llm.LLM["chat"]>[0]): llm.LLMStream {
    return new ServerAnswer(this, { chatCtx, connOptions }, this.#baseUrl);
  }
}

const chunkSchema = z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })) });

class ServerAnswer extends llm.LLMStream {
  readonly #baseUrl: string;

  constructor(model: llm.LLM, options: ConstructorParameters<typeof llm.LLMStream>[1], baseUrl: string) {
    super(model, options);
    this.#baseUrl = baseUrl;
  }

  protected async run(): Promise<void> {
    const messages = this.chatCtx.items.flatMap((item) =>
      item.type === "message" ? [{ role: item.role, content: item.textContent ?? "" }] : [],
    );
    const answer = await fetch(`${this.#baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "bench", stream: true, messages }),
      signal: this.abortController.signal,
    });
    let rest = "";
    const id = randomUUID();
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const content = chunkSchema.parse(JSON.parse(line.slice(6))).choices.at(0)?.delta.content;
        if (content !== undefined) this.queue.put({ id, delta: { role: "assistant", content } });
      }
    }
  }
}

/** Speaks a sentence; its audio is passed on as it arrives. */
export class ServerTts extends tts.TTS {
  label = "bench.TTS";
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    super(SPEECH_RATE_HZ, 1, { streaming: false });
    this.#baseUrl = baseUrl;
  }

  synthesize(text: string, connOptions?: typeof DEFAULT_API_CONNECT_OPTIONS, signal?: AbortSignal): tts.ChunkedStream {
    return new ServerSpeech({ text, voice: this, connOptions, signal, baseUrl: this.#baseUrl });
  }

  stream(): never {
    throw new Error("the framework wraps this voice, which speaks sentences");
  }
}

interface ServerSpeechOptions {
  text: string;
  voice: tts.TTS;
  connOptions: typeof DEFAULT_API_CONNECT_OPTIONS | undefined;
  signal: AbortSignal | undefined;
  baseUrl: string;
}

class ServerSpeech extends tts.ChunkedStream {
  label = "bench.TTS.sentence";
  readonly #baseUrl: string;

  constructor({ text, voice, connOptions, signal, baseUrl }: ServerSpeechOptions) {
    super(text, voice, connOptions, signal);
    this.#baseUrl = baseUrl;
  }

  protected async run(): Promise<void> {
    const answer = await fetch(`${this.#baseUrl}/audio/speech`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "bench", input: this.inputText, voice: "bench", response_format: "pcm" }),
      signal: this.abortSignal,
    });
    const requestId = randomUUID();
    const frames = new AudioByteStream(SPEECH_RATE_HZ, 1);
    const put = (frame: tts.SynthesizedAudio["frame"]) =>
      this.queue.put({ requestId, segmentId: requestId, frame, final: false });
    for await (const part of answer.body!) frames.write(part.slice().buffer).forEach(put);
    frames.flush().forEach(put);
    this.queue.close();
  }
}
