// A realtime session with speech recognition that follows a script, a real model server and a real voice, for the
// duration of a callback. Loud audio is speech, quiet audio is not.

import { LanguageModel } from "../../../src/conversation/llm/language-model.ts";
import type { ServerEvent } from "../../../src/conversation/realtime/realtime-output.ts";
import { RealtimeSession, type RealtimeSessionOptions } from "../../../src/conversation/realtime/realtime-session.ts";
import type { TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";
import type { EndOfTurn } from "../../../src/conversation/turns/conversation-parts.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { WIRE_FORMS } from "../servers/chat-wire-forms.ts";
import { type ChatReply, type ChatRequest, type ChatServer, withChatServer } from "../servers/with-chat-server.ts";
import { waitFor } from "../wait-for.ts";

const WINDOW_SAMPLES = 512;
const LOUD = 4_000;
const RATE_HZ = 24_000;
const APPEND_MS = 100;
const [{ words }] = WIRE_FORMS;

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = ServerEvent & Record<string, any>;

export interface RealtimeTestOptions extends Partial<RealtimeSessionOptions> {
  /** What speech recognition returns, one for each recognition; the last one stays. An Error is thrown. */
  texts?: (string | Error)[];
  reply?(request: ChatRequest, count: number): ChatReply;
  /** No language model. */
  hasLlm?: boolean;
}

class RealtimeTest {
  readonly events: Event[] = [];
  readonly turns: TurnTimes[] = [];
  readonly faults: string[] = [];
  readonly heardSeconds: number[] = [];
  readonly session: RealtimeSession;
  readonly server: ChatServer;

  constructor(server: ChatServer, voice: EspeakVoice, options: RealtimeTestOptions) {
    const { texts = ["Hello there."], hasLlm = true, reply: _, ...further } = options;
    const left = [...texts];
    this.server = server;
    const endOfTurn: EndOfTurn = { predict: async () => 1, threshold: () => 0.5 };
    this.session = new RealtimeSession({
      dialect: "current",
      model: "service-realtime",
      instructions: "Be kind.",
      voiceName: "M1",
      language: "en",
      expectedLanguage: "en",
      stt: {
        transcribe: async (samples) => {
          this.heardSeconds.push(samples.length / 16_000);
          const text = (left.length > 1 ? left.shift() : left[0]) ?? "";
          if (text instanceof Error) throw text;
          return { text, language: "en" };
        },
      },
      endOfTurn,
      llm: hasLlm ? new LanguageModel({ baseUrl: server.baseUrl, model: "m" }) : null,
      voice,
      openDetector: loudness,
      ...further,
      send: (event) => this.events.push(event),
      onTurn: (times) => this.turns.push(times),
      onFault: (part) => this.faults.push(part),
    });
    this.session.start();
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  send(type: string, fields: object = {}): void {
    this.session.receive({ type, ...fields });
  }

  /** Resolves with the first event of a type behind the `after`-th event. */
  async until(type: string, after = 0): Promise<Event> {
    return waitFor(() => this.events.slice(after).find((event) => event.type === type), type);
  }

  of(type: string): Event[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Audio of the person, in events of 100 ms. */
  append(ms: number, amplitude: number): void {
    for (let past = 0; past < ms; past += APPEND_MS) {
      const samples = new Int16Array((RATE_HZ * Math.min(APPEND_MS, ms - past)) / 1000);
      for (let i = 0; i < samples.length; i++) samples[i] = amplitude * Math.sin(i / 8);
      this.send("input_audio_buffer.append", { audio: Buffer.from(samples.buffer).toString("base64") });
    }
  }

  /** The person says something and is silent. */
  say(ms = 700, silenceMs = 500): void {
    this.append(ms, 2 * LOUD);
    this.append(silenceMs, 0);
  }

  get audioMs(): number {
    const bytes = this.events
      .filter(({ type }) => /audio\.delta$/.test(type))
      .reduce((sum, { delta }) => sum + Buffer.from(delta, "base64").length, 0);
    return bytes / 2 / (RATE_HZ / 1000);
  }
}

/** Gives `work` a session, and closes it. */
export async function withRealtimeSession(
  options: RealtimeTestOptions,
  work: (test: RealtimeTest) => Promise<void>,
): Promise<void> {
  const reply = options.reply ?? (() => ({ body: words(["It ", "works. ", "It works well."]) }));
  await withChatServer(reply, async (server) => {
    const voice = new EspeakVoice();
    const test = new RealtimeTest(server, voice, options);
    try {
      await work(test);
    } finally {
      test.session.close();
      await voice.close();
    }
  });
}

/** Windows that are speech if they are loud. */
const loudness: RealtimeSessionOptions["openDetector"] = (onWindow) => {
  let rest = new Int16Array(0);
  let isClosed = false;
  return {
    push: (samples) => {
      const all = Int16Array.from([...rest, ...samples]);
      let at = 0;
      for (; at + WINDOW_SAMPLES <= all.length; at += WINDOW_SAMPLES) {
        const window = all.slice(at, at + WINDOW_SAMPLES);
        const probability = window.some((sample) => Math.abs(sample) > LOUD) ? 0.95 : 0.02;
        setImmediate(() => !isClosed && onWindow({ probability, samples: window }));
      }
      rest = all.slice(at);
    },
    reset: () => {
      rest = new Int16Array(0);
    },
    close: () => {
      isClosed = true;
    },
  };
};
