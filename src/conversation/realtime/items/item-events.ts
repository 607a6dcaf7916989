// What a client does to the items of its conversation.
import type { ClientEvent } from "../client-events.ts";
import { RealtimeError } from "../realtime-error.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";
import { type AudioPart, type ConversationItem, itemObject, itemOf } from "./conversation-items.ts";
import type { ItemList } from "./item-list.ts";

export type ItemEvent = Extract<ClientEvent, { type: `conversation.item.${string}` }>;

/** Adds an item that was spoken, and drops the oldest items if they would be too many. Returns the id of the one before
 *  it. */
export function addSpoken(items: ItemList, output: RealtimeOutput, item: ConversationItem): string | null {
  for (const id of items.makeSpaceFor(item)) output.emit("conversation.item.deleted", { item_id: id });
  return items.add(item);
}

export interface ItemEventsOptions {
  items: ItemList;
  output: RealtimeOutput;
  /** Writes down the audio of an item, base64. Throws RealtimeError. */
  transcribe(audio: string, itemId: string): AudioPart;
}

export class ItemEvents {
  readonly #options: ItemEventsOptions;

  constructor(options: ItemEventsOptions) {
    this.#options = options;
  }

  /** Throws RealtimeError. */
  take(event: ItemEvent): void {
    const { items, output } = this.#options;
    if (event.type === "conversation.item.create") this.#create(event);
    else if (event.type === "conversation.item.truncate") this.#truncate(event);
    else if (event.type === "conversation.item.retrieve") {
      const item = itemObject(items.get(event.item_id), output.dialect);
      output.emit("conversation.item.retrieved", { item });
    } else {
      items.remove(event.item_id);
      output.emit("conversation.item.deleted", { item_id: event.item_id });
    }
  }

  #create({ item: input, previous_item_id: behindId }: Extract<ItemEvent, { type: "conversation.item.create" }>): void {
    const { items, output, transcribe } = this.#options;
    const id = input.id ?? newId("item");
    const item = itemOf(input, id, (audio) => transcribe(audio, id));
    const previous = items.add(item, behindId);
    const object = itemObject(item, output.dialect);
    output.emit("conversation.item.added", { previous_item_id: previous, item: object });
    output.emit("conversation.item.done", { previous_item_id: previous, item: object });
  }

  #truncate({ item_id, audio_end_ms }: Extract<ItemEvent, { type: "conversation.item.truncate" }>): void {
    const { items, output } = this.#options;
    const item = items.get(item_id);
    const part = item.type === "message" ? item.parts.find(({ kind }) => kind === "spoken") : undefined;
    if (part?.kind !== "spoken" || !part.spoken) {
      const message = "Only audio that this session has answered with can be truncated.";
      throw new RealtimeError(message, { code: "invalid_value", param: "item_id" });
    }
    part.transcript = part.spoken.heardUntil(audio_end_ms);
    items.touch();
    output.emit("conversation.item.truncated", { item_id, content_index: 0, audio_end_ms });
  }
}
