// One response: the events in which a client gets text or audio while the mind writes and the voice speaks.
//
//   open    its parts go out as they are made                     → over
//   over    completed, cancelled, failed or incomplete             (final)
import { setTimeout as delay } from "node:timers/promises";
import { fixedSentence } from "../conversation/fixed-sentences.ts";
import type { PreparedAnswer } from "../conversation/prepared-answer.ts";
import type { AnswerReport } from "../mind/mind-turn.ts";
import { SpokenText } from "../voice/spoken-text.ts";
import type { SpeechOptions, SpokenPiece, Voice } from "../voice/voice.ts";
import { AudioWriter, rateOf } from "./audio-formats.ts";
import {
  type CallItem,
  type ConversationItem,
  itemObject,
  type MessageItem,
  partObject,
} from "./conversation-items.ts";
import { RealtimeError } from "./realtime-error.ts";
import { newId, type RealtimeOutput } from "./realtime-output.ts";
import { formatObject, type ResponseSettings } from "./session-settings.ts";

/** Audio goes out as fast as it is made, but no further ahead of its time than this, ms: other sessions need the voice,
 *  and what is made in vain when the person cuts in costs CPU time. */
const AHEAD_LIMIT_MS = 10_000;
/** Length of the audio of one event, ms. */
const EVENT_MS = 400;
/** A token has about four characters. */
const CHARACTERS_PER_TOKEN = 4;

export type CancelReason = "turn_detected" | "client_cancelled";
export type ResponseStatus = "completed" | "cancelled" | "failed" | "incomplete";

/** An answer as it is written. */
export interface WrittenText {
  answer: PreparedAnswer;
  /** What the mind says of it once it is complete. */
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
  onFault(part: "mind" | "voice", error: unknown): void;
  /** The first audio, or the first word without audio, has gone out. */
  onFirst(): void;
}

/** The message that is being said. */
interface OpenMessage {
  item: MessageItem;
  index: number;
  text: string;
  part: MessageItem["parts"][number];
}

export class RealtimeResponse {
  readonly id = newId("resp");
  readonly #options: RealtimeResponseOptions;
  readonly #items: ConversationItem[] = [];
  readonly #spoken = new SpokenText();
  readonly #writer: AudioWriter;
  readonly #stopping = new AbortController();
  #message: OpenMessage | undefined;
  #madeMs = 0;
  #firstAtMs: number | undefined;
  #isOver = false;
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
      if (this.#isOver) return;
      options.onFault("mind", error);
      this.#finishFailed("The answer could not be added to the conversation.");
    });
  }

  get isOver(): boolean {
    return this.#isOver;
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
        if (this.#isOver) return;
        await this.#say(piece);
        if (this.#isOver) return;
        const limit =
          settings.maxTokens === "inf" ? Number.POSITIVE_INFINITY : settings.maxTokens * CHARACTERS_PER_TOKEN;
        if ((this.#message?.text.length ?? 0) > limit) return this.#finishCut();
      }
    } catch (error) {
      if (this.#isOver) return;
      if (error instanceof RealtimeError) return this.#finishFailed(error.message, error.code);
      onFault("mind", error);
      if (!this.#message) await this.#say(fixedSentence("failed", speech.language ?? "en"));
      return this.#finishFailed("The language model did not answer.");
    }
    if (this.#isOver) return;
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
    const { settings, voice, speech, output, onFault } = this.#options;
    const message = this.#openMessage();
    if (!settings.wantsAudio) {
      this.#addText(message, piece);
      output.emit("response.output_text.delta", { ...this.#place(message), delta: piece });
      return this.#noteFirst();
    }
    this.#spoken.begin(piece, this.#madeMs);
    let isTold = false;
    const tell = () => {
      if (isTold) return;
      isTold = true;
      this.#addText(message, piece);
      output.emit("response.output_audio_transcript.delta", { ...this.#place(message), delta: piece });
    };
    try {
      for await (const audio of voice.synthesize(piece, speech)) {
        if (this.#isOver) return;
        tell();
        this.#sendAudio(message, audio);
        await this.#waitForListener();
        if (this.#isOver) return;
      }
    } catch (error) {
      if (this.#isOver) return;
      onFault("voice", error);
      tell();
      return this.#finishFailed("The voice failed.");
    }
    tell();
    this.#spoken.end(this.#madeMs);
  }

  #addText(message: OpenMessage, piece: string): void {
    message.text += piece;
    if (message.part.kind === "text") message.part.text = message.text;
    if (message.part.kind === "spoken") message.part.transcript = message.text.trim();
    this.#options.onChange();
  }

  #sendAudio(message: OpenMessage, { samples, sampleRateHz, sentence }: SpokenPiece): void {
    if (sentence) this.#spoken.addSentence(sentence, this.#madeMs);
    this.#sendBytes(message, this.#writer.write(samples, sampleRateHz));
    this.#madeMs += (samples.length / sampleRateHz) * 1000;
    this.#noteFirst();
  }

  #sendBytes(message: OpenMessage, bytes: Uint8Array): void {
    const { output, settings } = this.#options;
    const perSample = settings.outputFormat === "pcm16" ? 2 : 1;
    const size = ((rateOf(settings.outputFormat) * EVENT_MS) / 1000) * perSample;
    for (let at = 0; at < bytes.length; at += size) {
      const delta = Buffer.from(bytes.subarray(at, at + size)).toString("base64");
      output.emit("response.output_audio.delta", { ...this.#place(message), delta });
    }
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

  #openMessage(): OpenMessage {
    if (this.#message) return this.#message;
    const { settings, output } = this.#options;
    const part: OpenMessage["part"] = settings.wantsAudio
      ? { kind: "spoken", transcript: "", spoken: this.#spoken }
      : { kind: "text", text: "" };
    const item: MessageItem = {
      id: newId("item"),
      type: "message",
      status: "in_progress",
      role: "assistant",
      parts: [],
    };
    const message = { item, index: this.#items.length, text: "", part };
    this.#message = message;
    this.#addItem(item);
    item.parts.push(part);
    output.emit("response.content_part.added", { ...this.#place(message), part: this.#partObject(part) });
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
    const { output, settings } = this.#options;
    const place = this.#place(message);
    if (settings.wantsAudio) {
      if (status === "completed") this.#sendBytes(message, this.#writer.end());
      output.emit("response.output_audio.done", place);
      output.emit("response.output_audio_transcript.done", { ...place, transcript: message.text });
    } else {
      output.emit("response.output_text.done", { ...place, text: message.text });
    }
    output.emit("response.content_part.done", { ...place, part: this.#partObject(message.part) });
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
    if (this.#isOver) return;
    this.#closeMessage(status === "completed" ? "completed" : "incomplete");
    this.#isOver = true;
    this.#stopping.abort();
    this.#options.text.answer.cancel();
    this.#options.output.emit("response.done", { response: this.#object(status, details) });
    this.#tellEnd();
  }

  #place({ item, index }: OpenMessage) {
    return { response_id: this.id, item_id: item.id, output_index: index, content_index: 0 };
  }

  #partObject(part: OpenMessage["part"]): Record<string, unknown> {
    return partObject(part, "assistant", this.#options.output.dialect);
  }

  #object(status: ResponseStatus | "in_progress", details: object | null = null): Record<string, unknown> {
    const { settings, metadata, output, conversationId, isInConversation } = this.#options;
    const { wantsAudio, voice, outputFormat, maxTokens } = settings;
    const isBeta = output.dialect === "beta";
    return {
      id: this.id,
      object: "realtime.response",
      status,
      status_details: details,
      output: this.#items.map((item) => itemObject(item, output.dialect)),
      conversation_id: isInConversation ? conversationId : null,
      metadata,
      ...(isBeta
        ? { modalities: wantsAudio ? ["text", "audio"] : ["text"], voice, output_audio_format: outputFormat }
        : {
            output_modalities: [wantsAudio ? "audio" : "text"],
            audio: { output: { format: formatObject(outputFormat), voice } },
          }),
      max_output_tokens: maxTokens,
      usage: status === "in_progress" ? null : this.#usage(),
    };
  }

  /** Tokens of the language model; none of them is audio, which it never sees. */
  #usage(): Record<string, unknown> {
    const { promptTokens = 0, completionTokens = 0 } = this.#options.text.report()?.usage ?? {};
    return {
      total_tokens: promptTokens + completionTokens,
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      input_token_details: { text_tokens: promptTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: completionTokens, audio_tokens: 0 },
    };
  }
}
