// The message of a response while it is said: its text, its audio, and the events of its item.
import type { SpokenText } from "../../../speech/voice/spoken-text.ts";
import { rateOf } from "../audio-formats.ts";
import { type MessageItem, partObject } from "../items/conversation-items.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";
import type { ResponseSettings } from "../session-settings.ts";

/** Length of the audio of one event, ms. */
const EVENT_MS = 400;

export interface ResponseMessageOptions {
  responseId: string;
  /** Of its item in the response. */
  index: number;
  settings: ResponseSettings;
  output: RealtimeOutput;
  /** When its words are heard, for a message with audio. */
  spoken: SpokenText;
}

export class ResponseMessage {
  readonly #options: ResponseMessageOptions;
  readonly item: MessageItem = {
    id: newId("item"),
    type: "message",
    status: "in_progress",
    role: "assistant",
    parts: [],
  };
  readonly #part: MessageItem["parts"][number];
  #text = "";

  constructor(options: ResponseMessageOptions) {
    this.#options = options;
    this.#part = options.settings.wantsAudio
      ? { kind: "spoken", transcript: "", spoken: options.spoken }
      : { kind: "text", text: "" };
  }

  get index(): number {
    return this.#options.index;
  }

  get text(): string {
    return this.#text;
  }

  /** Its item is known to the client. */
  open(): void {
    this.item.parts.push(this.#part);
    this.#emit("response.content_part.added", { part: this.#partObject });
  }

  addText(piece: string): void {
    this.#text += piece;
    if (this.#part.kind === "text") this.#part.text = this.#text;
    if (this.#part.kind === "spoken") this.#part.transcript = this.#text.trim();
    const kind = this.#options.settings.wantsAudio ? "output_audio_transcript" : "output_text";
    this.#emit(`response.${kind}.delta`, { delta: piece });
  }

  /** Audio in the format of the response. */
  addAudio(bytes: Uint8Array): void {
    const { outputFormat } = this.#options.settings;
    const perSample = outputFormat === "pcm16" ? 2 : 1;
    const size = ((rateOf(outputFormat) * EVENT_MS) / 1000) * perSample;
    for (let at = 0; at < bytes.length; at += size) {
      const delta = Buffer.from(bytes.subarray(at, at + size)).toString("base64");
      this.#emit("response.output_audio.delta", { delta });
    }
  }

  /** Nothing more comes. */
  close(): void {
    if (this.#options.settings.wantsAudio) {
      this.#emit("response.output_audio.done");
      this.#emit("response.output_audio_transcript.done", { transcript: this.#text });
    } else {
      this.#emit("response.output_text.done", { text: this.#text });
    }
    this.#emit("response.content_part.done", { part: this.#partObject });
  }

  get #partObject(): Record<string, unknown> {
    return partObject(this.#part, "assistant", this.#options.output.dialect);
  }

  #emit(type: string, fields: Record<string, unknown> = {}): void {
    const { responseId, index, output } = this.#options;
    const place = { response_id: responseId, item_id: this.item.id, output_index: index, content_index: 0 };
    output.emit(type, { ...place, ...fields });
  }
}
