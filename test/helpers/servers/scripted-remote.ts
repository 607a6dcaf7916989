// A conversation that a realtime server of a script leads, and an avatar of a script.

import {
  RealtimeTurns,
  type RealtimeTurnsOptions,
} from "../../../agent-worker/conversation/realtime/realtime-turns.ts";
import type { RealtimeLink } from "../../../agent-worker/providers/realtime-link.ts";
import type { HeardAudio, PlayedUtterance } from "../../../agent-worker/room/audio-utterance.ts";
import { type Expression, formatExpression } from "../../../shared/expressions.ts";
import type { SpokenMessage, TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";

/** What the avatar says; the test decides what is heard of it. */
export class ScriptedAudio implements PlayedUtterance {
  madeMs = 0;
  heardMs = 0;
  isComplete = false;
  isStopped = false;
  readonly captions: string[] = [];
  /** What the face shows, each with the audio before it, ms. */
  readonly expressions: string[] = [];
  readonly started: Promise<boolean>;
  readonly ended: Promise<HeardAudio>;
  #start: (isHeard: boolean) => void = () => undefined;
  #end: (end: HeardAudio) => void = () => undefined;

  constructor() {
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  push(samples: Int16Array): void {
    this.madeMs += samples.length / 24;
  }

  caption(text: string, atMs: number): void {
    this.captions.push(`${Math.round(atMs)} ${text}`);
  }

  express(expression: Expression): void {
    this.expressions.push(`${Math.round(this.madeMs)} ${formatExpression(expression)}`);
  }

  end(): void {
    this.isComplete = true;
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.#start(this.heardMs > 0);
    this.#end({ heardMs: this.heardMs, interrupted: true });
  }

  pushAudio(ms: number): void {
    this.heardMs = ms;
    this.#start(true);
  }

  finish(): void {
    this.pushAudio(this.madeMs);
    this.#end({ heardMs: this.madeMs, interrupted: false });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into commands freely, and a wrong shape fails them anyway
type Command = Record<string, any>;

export class ScriptedRemote {
  readonly leader: RealtimeTurns;
  /** What the server got. */
  readonly sent: Command[] = [];
  readonly utterances: ScriptedAudio[] = [];
  readonly messages: SpokenMessage[] = [];
  readonly states: string[] = [];
  readonly speaking: boolean[] = [];
  readonly shown: string[] = [];
  readonly turns: TurnTimes[] = [];
  readonly faults: string[] = [];
  /** What was there when the server was given up. */
  failed: { history: string[]; lines: string[]; openMs: number } | undefined;
  isLinkClosed = false;
  #onEvent: (event: unknown) => void = () => undefined;
  #onClosed: (error: unknown) => void = () => undefined;

  constructor(options: Partial<RealtimeTurnsOptions> = {}) {
    this.leader = new RealtimeTurns({
      connect: ({ onEvent, onClosed }): RealtimeLink => {
        this.#onEvent = onEvent;
        this.#onClosed = onClosed;
        return {
          send: (command) => this.sent.push(command),
          close: () => {
            this.isLinkClosed = true;
          },
        };
      },
      instructions: "Be kind.",
      language: "en",
      voice: "marin",
      search: null,
      history: [],
      ...options,
      play: () => {
        const utterance = new ScriptedAudio();
        this.utterances.push(utterance);
        return utterance;
      },
      listener: {
        onState: (state) => this.states.push(state),
        onPersonSpeaking: (isSpeaking) => this.speaking.push(isSpeaking),
        onPersonText: ({ text, isFinal }) => this.shown.push(isFinal ? `${text}|` : text),
        onMessage: (message) => this.messages.push(message),
        onChange: () => undefined,
        onTurn: (times) => this.turns.push(times),
        onFault: (part) => this.faults.push(part),
      },
      onFailed: (openMs) => {
        const { history, lines } = this.leader.snapshot;
        this.failed = { history: history.map(({ role, text }) => `${role}: ${text}`), lines, openMs };
      },
    });
    this.leader.start();
  }

  get last(): ScriptedAudio | undefined {
    return this.utterances.at(-1);
  }

  /** What was said, in one line each. */
  get transcript(): string[] {
    return this.messages.map(({ role, text }) => `${role}: ${text}`);
  }

  /** Types of the commands that the server got, without audio. */
  get commands(): string[] {
    return this.sent.map(({ type }) => type).filter((type) => type !== "input_audio_buffer.append");
  }

  event(type: string, fields: object = {}): void {
    this.#onEvent({ type, event_id: "e", ...fields });
  }

  /** Something that may be no event. */
  raw(value: unknown): void {
    this.#onEvent(value);
  }

  closed(error: unknown = new Error("gone")): void {
    this.#onClosed(error);
  }

  /** The server sets the session up. */
  open(session: object = { type: "realtime" }): void {
    this.event("session.created", { session });
    this.event("session.updated", { session });
  }

  /** The person says something, and the server has written it down. */
  say(text: string, item = "item_user"): void {
    this.event("input_audio_buffer.speech_started", { item_id: item });
    this.event("input_audio_buffer.speech_stopped", { item_id: item });
    this.event("input_audio_buffer.committed", { item_id: item });
    this.event("conversation.item.input_audio_transcription.completed", { item_id: item, transcript: text });
  }

  /** The server answers with a second of audio, up to `response.done`. */
  answer(text: string, id = "resp_1"): void {
    this.begin(id);
    this.event("response.output_audio_transcript.delta", { response_id: id, delta: text });
    this.event("response.output_audio.delta", { response_id: id, delta: second() });
    this.event("response.done", { response: { id, status: "completed" } });
  }

  begin(id: string): void {
    this.event("response.created", { response: { id } });
    this.event("response.output_item.added", { response_id: id, item: { id: `item_${id}`, type: "message" } });
  }
}

/** A second of PCM, base64. */
export function second(): string {
  return Buffer.alloc(48_000, 1).toString("base64");
}
