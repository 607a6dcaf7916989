// A conversation with a microphone, speech recognition, model and avatar that follow a script, for tests of the turn
// logic.

import type { LlmTurn } from "../../../src/conversation/llm/llm-turn.ts";
import { Conversation, type ConversationOptions } from "../../../src/conversation/turns/conversation.ts";
import type {
  ConversationState,
  SpokenMessage,
  TurnTimes,
  TurnWords,
} from "../../../src/conversation/turns/conversation-listener.ts";
import type { SpokenUtterance, UtteranceEnd } from "../../../src/conversation/turns/speech-output.ts";
import type { Transcription } from "../../../src/speech/recognition/transcription-client.ts";

const WINDOW_SAMPLES = 512;
const WINDOW_MS = 32;

/** What the avatar says; the test decides what is heard of it. */
class ScriptedUtterance implements SpokenUtterance {
  text = "";
  heardText = "";
  isComplete = false;
  readonly calls: string[] = [];
  readonly started: Promise<boolean>;
  readonly ended: Promise<UtteranceEnd>;
  #start: (isHeard: boolean) => void = () => undefined;
  #end: (end: UtteranceEnd) => void = () => undefined;
  #isOver = false;

  constructor() {
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  add(text: string): void {
    this.text += text;
  }

  end(): void {
    this.isComplete = true;
  }

  pause(): void {
    this.calls.push("pause");
  }

  resume(): void {
    this.calls.push("resume");
  }

  stop(): void {
    if (this.#isOver) return;
    this.calls.push("stop");
    this.#over(true);
  }

  /** It is heard up to here. */
  hear(text: string): void {
    this.heardText = text;
    this.#start(true);
  }

  /** All of it was heard. */
  finish(error?: unknown): void {
    this.hear(this.text.trim());
    this.#over(false, error);
  }

  #over(interrupted: boolean, error?: unknown): void {
    this.#isOver = true;
    this.#start(false);
    this.#end({ heardText: this.heardText, interrupted, ...(error !== undefined && { error }) });
  }
}

export interface ScriptedConversationOptions extends Partial<Omit<ConversationOptions, "listener" | "output">> {
  /** What speech recognition returns, one for each recognition; an Error is thrown. */
  texts?: (string | Transcription | Error)[];
  /** Of the end-of-turn model, one for each question; the last one stays. Default [1]. */
  probabilities?: (number | Error)[];
  /** What the model answers. */
  answer?(turn: LlmTurn): AsyncGenerator<string, never>;
}

export class ScriptedConversation {
  readonly conversation: Conversation;
  readonly utterances: ScriptedUtterance[] = [];
  readonly messages: SpokenMessage[] = [];
  readonly states: ConversationState[] = [];
  readonly shown: string[] = [];
  readonly faults: string[] = [];
  readonly turns: TurnTimes[] = [];
  /** What the person said in these. */
  readonly words: TurnWords[] = [];
  /** What the model was asked. */
  readonly asked: LlmTurn[] = [];
  /** Seconds of each utterance that speech recognition got. */
  readonly recognised: number[] = [];

  constructor({ texts = [], probabilities = [1], answer, ...options }: ScriptedConversationOptions = {}) {
    const next = (list: (number | Error)[]) => (list.length > 1 ? list.shift() : list[0]);
    const { asked, recognised } = this;
    this.conversation = new Conversation({
      instructions: "Be kind.",
      language: "en",
      stt: {
        transcribe: async (samples) => {
          recognised.push(samples.length / 16_000);
          const text = texts.shift() ?? "";
          if (text instanceof Error) throw text;
          return typeof text === "string" ? { text, language: "en" } : text;
        },
      },
      endOfTurn: {
        predict: async () => {
          const probability = next(probabilities) ?? 0;
          if (probability instanceof Error) throw probability;
          return probability;
        },
        threshold: () => 0.5,
      },
      persona: { name: "Nova", systemPrompt: "You are Nova, a museum guide." },
      llm: () => ({
        takesImages: true,
        answer: (turn: LlmTurn) => {
          asked.push(turn);
          return (answer ?? echo)(turn) as never;
        },
      }),
      search: null,
      ...options,
      output: {
        speak: () => {
          const utterance = new ScriptedUtterance();
          this.utterances.push(utterance);
          return utterance;
        },
      },
      listener: {
        onState: (state) => this.states.push(state),
        onPersonSpeaking: () => undefined,
        onPersonText: ({ text, isFinal }) => this.shown.push(isFinal ? `${text}|` : text),
        onMessage: (message) => this.messages.push(message),
        onChange: () => undefined,
        onTurn: (times, words) => {
          this.turns.push(times);
          this.words.push(words);
        },
        onFault: (part) => this.faults.push(part),
      },
    });
  }

  get last(): ScriptedUtterance | undefined {
    return this.utterances.at(-1);
  }

  /** What was said, in one line. */
  get transcript(): string[] {
    return this.messages.map(({ role, text }) => `${role}: ${text}`);
  }

  /** The person speaks for `ms`. */
  speech(ms: number): void {
    this.#windows(ms, 0.9);
  }

  /** The person is silent for `ms`, and everything that this starts is done. */
  async silence(ms: number): Promise<void> {
    for (let past = 0; past < ms; past += WINDOW_MS) {
      this.#windows(WINDOW_MS, 0.02);
      await settled();
    }
  }

  /** The person says something and is silent. */
  async say(silenceMs = 320): Promise<void> {
    this.speech(640);
    await this.silence(silenceMs);
  }

  #windows(ms: number, probability: number): void {
    for (let past = 0; past < ms; past += WINDOW_MS) {
      this.conversation.push({ probability, samples: new Int16Array(WINDOW_SAMPLES) });
    }
  }
}

/** Everything that waits only for code of this process is done. */
export async function settled(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise(setImmediate);
}

async function* echo(turn: LlmTurn): AsyncGenerator<string, never> {
  yield `You said: ${turn.history.at(-1)?.text}. `;
  return undefined as never;
}
