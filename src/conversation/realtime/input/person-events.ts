// What a client is told of the person's audio: where speech begins and ends, which item it becomes, and its words.
import { type AudioPart, itemObject, type MessageItem } from "../items/conversation-items.ts";
import { addSpoken } from "../items/item-events.ts";
import type { ItemList } from "../items/item-list.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";

const TRANSCRIPTION = "conversation.item.input_audio_transcription";

export class PersonEvents {
  readonly #output: RealtimeOutput;
  readonly #items: ItemList;
  /** Whether the client wants to read what was said. */
  readonly #wantsText: () => boolean;
  /** Of the item that the present speech becomes. */
  #itemId: string | undefined;
  #startedAtMs = 0;
  /** Length of the latest speech. */
  #seconds = 0;

  constructor(output: RealtimeOutput, items: ItemList, wantsText: () => boolean) {
    this.#output = output;
    this.#items = items;
    this.#wantsText = wantsText;
  }

  /** Whether `speech_started` has gone out. */
  get isSpeaking(): boolean {
    return this.#itemId !== undefined;
  }

  /** The person speaks. `atMs`: in the audio that was received. */
  started(atMs: number): void {
    this.#itemId = newId("item");
    this.#startedAtMs = Math.max(0, atMs);
    this.#output.emit("input_audio_buffer.speech_started", {
      audio_start_ms: Math.round(this.#startedAtMs),
      item_id: this.#itemId,
    });
  }

  /** The person has stopped. Returns the id of the item that the speech becomes. */
  stopped(atMs: number): string {
    const itemId = this.#itemId ?? newId("item");
    this.#itemId = undefined;
    this.#seconds = (atMs - this.#startedAtMs) / 1000;
    this.#output.emit("input_audio_buffer.speech_stopped", { audio_end_ms: Math.round(atMs), item_id: itemId });
    return itemId;
  }

  /** What was said is forgotten. */
  forget(): void {
    this.#itemId = undefined;
  }

  /** Audio becomes an item of the conversation. */
  commit(itemId: string, part: AudioPart): void {
    const item: MessageItem = { id: itemId, type: "message", role: "user", status: "completed", parts: [part] };
    const previous = addSpoken(this.#items, this.#output, item);
    const object = itemObject(item, this.#output.dialect);
    this.#output.emit("input_audio_buffer.committed", { previous_item_id: previous, item_id: itemId });
    this.#output.emit("conversation.item.added", { previous_item_id: previous, item: object });
    this.#output.emit("conversation.item.done", { previous_item_id: previous, item: object });
  }

  /** The words are known. `seconds`: length of their audio; default that of the latest speech. */
  understood(itemId: string, transcript: string, seconds = this.#seconds): void {
    if (!this.#wantsText()) return;
    const place = { item_id: itemId, content_index: 0 };
    this.#output.emit(`${TRANSCRIPTION}.delta`, { ...place, delta: transcript });
    this.#output.emit(`${TRANSCRIPTION}.completed`, { ...place, transcript, usage: { type: "duration", seconds } });
  }

  /** The words will never be known. */
  notUnderstood(itemId: string): void {
    if (!this.#wantsText()) return;
    const message = "The audio was not understood.";
    this.#output.emit(`${TRANSCRIPTION}.failed`, {
      item_id: itemId,
      content_index: 0,
      error: { type: "transcription_error", code: "audio_unintelligible", message, param: null },
    });
  }
}
