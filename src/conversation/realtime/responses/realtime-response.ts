// One response: the events in which a client gets text or audio while the language model writes and the voice speaks.
//
//   open    its parts go out as they are made                     → over
//   over    completed, cancelled, failed or incomplete             (final)
import { setTimeout as delay } from "node:timers/promises";
import { defineMoves, StateMachine } from "../../../../program/state-machine.ts";
import { SpokenText } from "../../../speech/voice/spoken-text.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../../../speech/voice/voice.ts";
import type { AnswerReport } from "../../llm/llm-turn.ts";
import { fixedSentence } from "../../turns/fixed-sentences.ts";
import type { PreparedAnswer } from "../../turns/prepared-answer.ts";
import { AudioWriter } from "../audio-formats.ts";
import { type CallItem, type ConversationItem, itemObject } from "../items/conversation-items.ts";
import { RealtimeError } from "../realtime-error.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";
import type { ResponseSettings } from "../session-settings.ts";
import { ResponseMessage } from "./response-message.ts";
import { type ResponseStatus, responseObject } from "./response-object.ts";

/** Audio goes out as fast as it is made, but no further ahead of its time than this, ms: other sessions need the voice,
 *  and what is made in vain when the person cuts in costs CPU time. */
const AHEAD_LIMIT_MS = 10_000;
/** A token has about four characters. */
const CHARACTERS_PER_TOKEN = 4;

export type CancelReason = "turn_detected" | "client_cancelled";

const MOVES = defineMoves<"open" | "over">({ open: ["over"], over: [] });

/** An answer as it is written. */
export interface WrittenText {
  answer: PreparedAnswer;
  /** What the language model says of it once it is complete. */
  report(): AnswerReport | undefined;
}

export interface RealtimeResponseOptions {
  settings: ResponseSettings;
  speech: SpeechOptions;
  metadata: Readonly<Record<string, string>> | null;
  /** Whether its items become items of the conversation. */
  isInConversation: boolean;
  text: WrittenText;
  voice: Voice;
  output: RealtimeOutput;
  conversationId: string;
  /** Adds an item to the conversation and returns the id of the one before it. */
  onItem(item: ConversationItem): string | null;
  /** Something in an item has changed. */
  onChange(): void;
  onFault(part: "llm" | "voice", error: unknown): void;
  /** The first audio, or the first word without audio, has gone out. */
  onFirst(): void;
}

export class RealtimeResponse {
  readonly id = newId("resp");
  readonly #options: RealtimeResponseOptions;
  readonly #items: ConversationItem[] = [];
  readonly #spoken = new SpokenText();
  readonly #writer: AudioWriter;
  readonly #stopping = new AbortController();
  /** The one that is being said. */
  #message: ResponseMessage | undefined;
  #madeMs = 0;
  #firstAtMs: number | undefined;
  readonly #state = new StateMachine(MOVES, "open");
  /** Resolves when it is over. Never rejects. */
  readonly ended: Promise<void>;
  #tellEnd: () => void = () => undefined;

  /** Begins at once. */
  constructor(options: RealtimeResponseOptions) {
    this.#options = options;
    this.#writer = new AudioWriter(options.settings.outputFormat);
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    options.output.emit("response.created", { response: this.#object("in_progress") });
    this.#run().catch((error: unknown) => {
      if (this.isOver) return;
      options.onFault("llm", error);
      this.#finishFailed("The answer could not be added to the conversation.");
    });
  }

  get isOver(): boolean {
    return this.#state.is("over");
  }

  /** Whether a client that plays its audio from the first event on would still play it. */
  get isHeard(): boolean {
    return this.#firstAtMs !== undefined && performance.now() - this.#firstAtMs < this.#madeMs;
  }

  /** Ends it, if it is not over. */
  cancel(reason: CancelReason): void {
    this.#finish("cancelled", { type: "cancelled", reason });
  }

  /** The person has cut in: what a client that plays at once has not played was not heard. */
  cutIn(): void {
    const part = this.#spokenPart;
    if (this.isHeard && part && this.#firstAtMs !== undefined) {
      part.transcript = this.#spoken.heardUntil(performance.now() - this.#firstAtMs);
      this.#options.onChange();
    }
  }

  get #spokenPart() {
    const message = this.#items.find((item) => item.type === "message");
    const part = message?.parts.at(0);
    return part?.kind === "spoken" ? part : undefined;
  }

  async #run(): Promise<void> {
    const { text, settings, speech, onFault } = this.#options;
    try {
      for await (const piece of text.answer.pieces()) {
        if (this.isOver) return;
        await this.#say(piece);
        if (this.isOver) return;
        const limit =
          settings.maxTokens === "inf" ? Number.POSITIVE_INFINITY : settings.maxTokens * CHARACTERS_PER_TOKEN;
        if ((this.#message?.text.length ?? 0) > limit) return this.#finishCut();
      }
    } catch (error) {
      if (this.isOver) return;
      if (error instanceof RealtimeError) return this.#finishFailed(error.message, error.code);
      onFault("llm", error);
      if (!this.#message) await this.#say(fixedSentence("failed", speech.language ?? "en"));
      return this.#finishFailed("The language model did not answer.");
    }
    if (this.isOver) return;
    const report = text.report();
    this.#closeMessage("completed");
    for (const call of report?.calls ?? []) this.#call(call.id, call.name, call.args || "{}");
    if (report?.end === "cut") this.#finishCut();
    else this.#finish("completed", null);
  }

  #finishCut(): void {
    this.#finish("incomplete", { type: "incomplete", reason: "max_output_tokens" });
  }

  #finishFailed(message: string, code = "server_error"): void {
    const type = code === "server_error" ? code : "invalid_request_error";
    this.#finish("failed", { type: "failed", error: { type, code, message } });
  }

  /** A piece of the answer, as text or as audio. Ends the response if the voice fails. */
  async #say(piece: string): Promise<void> {
    const { settings, voice, speech, onFault } = this.#options;
    const message = this.#openMessage();
    if (!settings.wantsAudio) {
      this.#addText(message, piece);
      return this.#noteFirst();
    }
    this.#spoken.begin(piece, this.#madeMs);
    let isTold = false;
    const tell = () => {
      if (isTold) return;
      isTold = true;
      this.#addText(message, piece);
    };
    try {
      for await (const audio of voice.synthesize(piece, speech)) {
        if (this.isOver) return;
        tell();
        this.#sendAudio(message, audio);
        await this.#waitForListener();
        if (this.isOver) return;
      }
    } catch (error) {
      if (this.isOver) return;
      onFault("voice", error);
      tell();
      return this.#finishFailed("The voice failed.");
    }
    tell();
    this.#spoken.end(this.#madeMs);
  }

  #addText(message: ResponseMessage, piece: string): void {
    message.addText(piece);
    this.#options.onChange();
  }

  #sendAudio(message: ResponseMessage, { samples, sampleRateHz, sentence }: SpokenPiece): void {
    if (sentence) this.#spoken.addSentence(sentence, this.#madeMs);
    message.addAudio(this.#writer.write(samples, sampleRateHz));
    this.#madeMs += (samples.length / sampleRateHz) * 1000;
    this.#noteFirst();
  }

  #noteFirst(): void {
    if (this.#firstAtMs !== undefined) return;
    this.#firstAtMs = performance.now();
    this.#options.onFirst();
  }

  async #waitForListener(): Promise<void> {
    const aheadMs = this.#madeMs - (performance.now() - (this.#firstAtMs ?? 0)) - AHEAD_LIMIT_MS;
    if (aheadMs <= 0) return;
    // The abort ends the wait.
    await delay(aheadMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #openMessage(): ResponseMessage {
    if (this.#message) return this.#message;
    const { settings, output } = this.#options;
    const message = new ResponseMessage({
      responseId: this.id,
      index: this.#items.length,
      settings,
      output,
      spoken: this.#spoken,
    });
    this.#message = message;
    this.#addItem(message.item);
    message.open();
    return message;
  }

  #addItem(item: ConversationItem): void {
    const { output, isInConversation, onItem } = this.#options;
    const at = { response_id: this.id, output_index: this.#items.length };
    this.#items.push(item);
    output.emit("response.output_item.added", { ...at, item: itemObject(item, output.dialect) });
    if (!isInConversation) return;
    const previous = onItem(item);
    output.emit("conversation.item.added", { previous_item_id: previous, item: itemObject(item, output.dialect) });
  }

  #closeMessage(status: "completed" | "incomplete"): void {
    const message = this.#message;
    if (!message) return;
    this.#message = undefined;
    if (status === "completed" && this.#options.settings.wantsAudio) message.addAudio(this.#writer.end());
    message.close();
    this.#closeItem(message.item, message.index, status);
  }

  #closeItem(item: ConversationItem, index: number, status: "completed" | "incomplete"): void {
    const { output, isInConversation } = this.#options;
    item.status = status;
    const object = itemObject(item, output.dialect);
    output.emit("response.output_item.done", { response_id: this.id, output_index: index, item: object });
    if (isInConversation) output.emit("conversation.item.done", { item: object });
  }

  #call(callId: string, name: string, args: string): void {
    const item: CallItem = { id: newId("item"), type: "function_call", status: "in_progress", callId, name, args: "" };
    const index = this.#items.length;
    this.#addItem(item);
    item.args = args;
    const place = { response_id: this.id, item_id: item.id, output_index: index, call_id: callId };
    this.#options.output.emit("response.function_call_arguments.delta", { ...place, delta: args });
    this.#options.output.emit("response.function_call_arguments.done", { ...place, name, arguments: args });
    this.#closeItem(item, index, "completed");
    this.#options.onChange();
  }

  #finish(status: ResponseStatus, details: object | null): void {
    if (this.isOver) return;
    this.#closeMessage(status === "completed" ? "completed" : "incomplete");
    this.#state.enter("over");
    this.#stopping.abort();
    this.#options.text.answer.cancel();
    this.#options.output.emit("response.done", { response: this.#object(status, details) });
    this.#tellEnd();
  }

  #object(status: ResponseStatus, details: object | null = null): Record<string, unknown> {
    const { settings, metadata, output, conversationId, isInConversation, text } = this.#options;
    return responseObject({
      id: this.id,
      status,
      details,
      items: this.#items,
      settings,
      metadata,
      conversationId: isInConversation ? conversationId : null,
      dialect: output.dialect,
      report: text.report(),
    });
  }
}
