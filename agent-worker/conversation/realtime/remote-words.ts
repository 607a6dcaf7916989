// What a realtime server writes down of the person's words: late, in pieces and in any order.
import type { ConversationReporter } from "../../../src/conversation/turns/conversation-reporter.ts";
import type { ServerEvent } from "../../providers/realtime-link.ts";
import type { SpokenOrder } from "./spoken-order.ts";

const TRANSCRIPTION = "conversation.item.input_audio_transcription";
/** Of a text that is not final. */
const MOST_SHOWN_CHARACTERS = 5_000;
/** Of what the person has said. */
const MOST_SAID_CHARACTERS = 20_000;
/** Items that are not written down. The oldest are given up. */
const MOST_UNWRITTEN = 50;

export class RemoteWords {
  readonly #reporter: ConversationReporter;
  readonly #order: SpokenOrder;
  /** Functions that tell what the person said, by item. */
  readonly #unwritten = new Map<string, (text: string) => void>();
  /** What is known of the words that are being written down. */
  #interim = { itemId: "", text: "" };

  constructor(reporter: ConversationReporter, order: SpokenOrder) {
    this.#reporter = reporter;
    this.#order = order;
  }

  /** Takes an event about the words of an item, and ignores others. */
  take({ type, item_id: itemId = "", transcript, delta }: ServerEvent): void {
    if (type === "input_audio_buffer.committed") this.#await(itemId);
    else if (type === `${TRANSCRIPTION}.completed`) this.#complete(itemId, transcript ?? "");
    else if (type === `${TRANSCRIPTION}.failed`) this.#settle(itemId, "");
    else if (type === `${TRANSCRIPTION}.delta` && delta) this.#add(itemId, delta);
  }

  /** The person has said an item; its words come later. */
  #await(itemId: string): void {
    this.#unwritten.set(itemId, this.#order.begin("user"));
    const [oldest] = this.#unwritten.keys();
    if (this.#unwritten.size > MOST_UNWRITTEN) this.#settle(oldest, "");
  }

  /** A further piece of what the person said. */
  #add(itemId: string, delta: string): void {
    if (itemId !== this.#interim.itemId) this.#interim = { itemId, text: "" };
    this.#interim.text = (this.#interim.text + delta).slice(0, MOST_SHOWN_CHARACTERS);
    this.#reporter.showWords(this.#interim.text, false);
  }

  /** An item is written down. */
  #complete(itemId: string, transcript: string): void {
    const text = transcript.slice(0, MOST_SAID_CHARACTERS);
    this.#reporter.showWords(text, true);
    this.#settle(itemId, text);
  }

  #settle(itemId: string, text: string): void {
    const settle = this.#unwritten.get(itemId);
    this.#unwritten.delete(itemId);
    settle?.(text);
  }
}
