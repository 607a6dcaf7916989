// The conversation of a realtime session: its items in order, bounded in number and in bytes.

import { RealtimeError } from "../realtime-error.ts";
import { type ConversationItem, charactersOf } from "./conversation-items.ts";

/** An hour of conversation has some hundreds. */
const MAX_ITEMS = 2_000;
/** Of all items: two megabytes. An hour of conversation has a tenth of it, and a model is told the newest 40,000. */
const MAX_CHARACTERS = 1_000_000;
/** A new item goes before all others behind this id. */
const FIRST = "root";

export class ItemList {
  #items: ConversationItem[] = [];
  /** Counts the changes. */
  #version = 0;

  /** Oldest first. */
  get items(): readonly ConversationItem[] {
    return this.#items;
  }

  get version(): number {
    return this.#version;
  }

  /** Something in an item has changed. */
  touch(): void {
    this.#version += 1;
  }

  /** Throws RealtimeError if there is no such item. */
  get(id: string): ConversationItem {
    const item = this.#items.find((known) => known.id === id);
    if (item) return item;
    throw new RealtimeError("The conversation has no item with this id.", { code: "item_not_found", param: "item_id" });
  }

  /** Adds an item behind another, or at the end, and returns the id of the item before it. Throws RealtimeError if the
   *  id is taken, the other item is missing, or the conversation is full. */
  add(item: ConversationItem, behindId?: string): string | null {
    if (this.#items.some(({ id }) => id === item.id)) {
      throw new RealtimeError("The conversation has an item with this id already.", {
        code: "item_create_duplicate_id",
        param: "item.id",
      });
    }
    if (!this.#fits(item)) {
      const message = `A conversation has at most ${MAX_ITEMS} items, of ${MAX_CHARACTERS} characters in all. Delete some.`;
      throw new RealtimeError(message, { code: "conversation_full" });
    }
    if (hasImage(item)) this.#forgetImages();
    const index = behindId === undefined ? this.#items.length : this.#indexBehind(behindId);
    this.#items.splice(index, 0, item);
    this.touch();
    return this.#items[index - 1]?.id ?? null;
  }

  /** Removes the oldest items until another one can be added. Returns their ids. */
  makeSpaceFor(item: ConversationItem): string[] {
    const removed: string[] = [];
    while (!this.#fits(item) && this.#items.length > 0) removed.push(this.#items.shift()!.id);
    if (removed.length > 0) this.touch();
    return removed;
  }

  #fits(item: ConversationItem): boolean {
    if (this.#items.length >= MAX_ITEMS) return false;
    const characters = this.#items.reduce((sum, known) => sum + charactersOf(known), charactersOf(item));
    return characters <= MAX_CHARACTERS;
  }

  /** Throws RealtimeError if there is no such item. */
  remove(id: string): void {
    const item = this.get(id);
    this.#items = this.#items.filter((other) => other !== item);
    this.touch();
  }

  /** A model is shown the newest one. */
  #forgetImages(): void {
    for (const item of this.#items) {
      if (item.type !== "message") continue;
      for (const part of item.parts) if (part.kind === "image") part.shown = undefined;
    }
  }

  #indexBehind(id: string): number {
    if (id === FIRST) return 0;
    const index = this.#items.findIndex((item) => item.id === id);
    if (index >= 0) return index + 1;
    throw new RealtimeError("The conversation has no item with this id.", {
      code: "item_not_found",
      param: "previous_item_id",
    });
  }
}

function hasImage(item: ConversationItem): boolean {
  return item.type === "message" && item.parts.some(({ kind }) => kind === "image");
}
