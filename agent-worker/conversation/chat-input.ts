// Text that the person types in a LiveKit client: streams with the topic `lk.chat`.
import type { Room, TextStreamReader } from "@livekit/rtc-node";
import type { Logger } from "../../shared/log.ts";
import { TOPIC_CHAT } from "../../shared/wire-names.ts";

const MAX_CHARACTERS = 5_000;
/** Messages that may come at once, and how many more may come in a minute. */
const BURST = 10;
const PER_MINUTE = 30;

export interface ChatInputOptions {
  /** Connected. */
  room: Room;
  /** Whether the avatar talks with this participant. */
  isLinked(identity: string): boolean;
  onText(text: string): void;
  logger: Logger;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

/** Passes on what the linked person types. Messages of others, and more than a person can type, are ignored. */
export class ChatInput {
  readonly #options: ChatInputOptions;
  readonly #now: () => number;
  #allowance = BURST;
  #countedAtMs: number;
  #ignored = 0;

  constructor(options: ChatInputOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#countedAtMs = this.#now();
    options.room.registerTextStreamHandler(TOPIC_CHAT, (reader, { identity }) => void this.#take(reader, identity));
  }

  /** Messages that were ignored because there were too many. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Idempotent. */
  close(): void {
    this.#options.room.unregisterTextStreamHandler(TOPIC_CHAT);
  }

  async #take(reader: TextStreamReader, identity: string): Promise<void> {
    const { isLinked, onText, logger } = this.#options;
    if (!isLinked(identity) || !this.#mayCome()) return;
    let text = "";
    try {
      for await (const part of reader) {
        text += part;
        if (text.length >= MAX_CHARACTERS) break;
      }
    } catch (error) {
      logger.debug({ err: error }, "typed text broke off");
      return;
    }
    const typed = text.slice(0, MAX_CHARACTERS).trim();
    if (typed !== "") onText(typed);
  }

  #mayCome(): boolean {
    const nowMs = this.#now();
    this.#allowance = Math.min(BURST, this.#allowance + ((nowMs - this.#countedAtMs) * PER_MINUTE) / 60_000);
    this.#countedAtMs = nowMs;
    if (this.#allowance >= 1) {
      this.#allowance -= 1;
      return true;
    }
    if (this.#ignored === 0) this.#options.logger.warn("too much typed text, the rest is ignored");
    this.#ignored += 1;
    return false;
  }
}
