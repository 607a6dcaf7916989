// Text that the person types in a LiveKit client: streams with the topic `lk.chat`.
import { once } from "node:events";
import { type Room, RoomEvent, type TextStreamReader } from "@livekit/rtc-node";
import type { Logger } from "../../../program/log.ts";
import { TOPIC_CHAT } from "../../../shared/wire-names.ts";

const MAX_CHARACTERS = 5_000;
/** Messages that may come at once, and how many more may come in a minute. */
const BURST = 10;
const PER_MINUTE = 30;
/** A message that is not complete within this time is ignored, ms: a client sends it at once. */
const COMPLETE_MS = 10_000;
/** A message may overtake the news that its sender has joined, because the two come on different connections (by 2.4 s,
 *  measured): how long it waits for them, ms, and how many messages may wait, each with a listener. */
const JOINING_MS = 10_000;
const MOST_JOINING = 5;

export interface ChatInputOptions {
  /** Connected. */
  room: Room;
  /** Whether the avatar talks with this participant. */
  isLinked(identity: string): boolean;
  onText(text: string): void;
  logger: Logger;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
  /** How long a message may take from its first byte to its end, ms. Default 10,000. */
  completeMs?: number;
}

/** Passes on what the linked person types. Messages of others, and more than a person can type, are closed unread: the
 *  SDK would keep whatever else comes of them. */
export class ChatInput {
  readonly #options: ChatInputOptions;
  readonly #now: () => number;
  #allowance = BURST;
  #countedAtMs: number;
  #ignored = 0;
  /** Messages that wait for the news of their senders. */
  #joining = 0;
  /** Settles when the messages before have been passed on. */
  #passedOn = Promise.resolve();

  constructor(options: ChatInputOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#countedAtMs = this.#now();
  }

  /** Takes messages from now on. Once. */
  start(): void {
    const { room } = this.#options;
    room.registerTextStreamHandler(TOPIC_CHAT, (reader, { identity }) => void this.#take(reader, identity));
  }

  /** Messages of the linked person that were ignored: there were too many, or they were not completed. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Idempotent. */
  close(): void {
    this.#options.room.unregisterTextStreamHandler(TOPIC_CHAT);
  }

  async #take(reader: TextStreamReader, identity: string): Promise<void> {
    const { room, isLinked } = this.#options;
    if (!room.remoteParticipants.has(identity)) await this.#untilJoined(identity);
    if (!isLinked(identity) || !this.#mayCome()) return reader.close();
    // All are read at once, because the SDK keeps what is not read, and passed on in their order.
    const reading = this.#read(reader);
    this.#passedOn = this.#passedOn
      .then(async () => this.#passOn(await reading))
      .catch((error: unknown) => this.#options.logger.error({ err: error }, "typed text was not taken"));
  }

  #passOn(text: string | undefined): void {
    if (text === undefined) this.#ignored += 1;
    else if (text.trim() !== "") this.#options.onText(text.trim());
  }

  /** Resolves, too, if the participant has not come in time. */
  async #untilJoined(identity: string): Promise<void> {
    const { room } = this.#options;
    if (this.#joining >= MOST_JOINING) return;
    this.#joining += 1;
    const signal = AbortSignal.timeout(JOINING_MS);
    try {
      while (!room.remoteParticipants.has(identity)) await once(room, RoomEvent.ParticipantConnected, { signal });
    } catch {
      // Its sender is not linked.
    } finally {
      this.#joining -= 1;
    }
  }

  /** The first 5,000 characters; undefined if the message is not completed in time. */
  async #read(reader: TextStreamReader): Promise<string | undefined> {
    const { logger, completeMs = COMPLETE_MS } = this.#options;
    let text = "";
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      // Ends the loop below.
      void reader.close();
    }, completeMs);
    try {
      for await (const part of reader) {
        text = (text + part).slice(0, MAX_CHARACTERS);
        if (text.length === MAX_CHARACTERS) return text;
      }
      if (isLate) logger.debug("typed text was not completed in time");
      return isLate ? undefined : text;
    } catch (error) {
      logger.debug({ err: error }, "typed text broke off");
      return undefined;
    } finally {
      clearTimeout(deadline);
    }
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
