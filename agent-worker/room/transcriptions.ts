// Shows the room what a participant says, as LiveKit's agents do: text streams with the topic `lk.transcription`, and
// beside each the packet of the older protocol, which `useVoiceAssistant` and `useTrackTranscription` read.
import { setTimeout as delay } from "node:timers/promises";
import type { Room, TextStreamWriter } from "@livekit/rtc-node";
import type { Logger } from "../../program/log.ts";
import { TokenBucket } from "../../program/token-bucket.ts";
import type { Expression } from "../../shared/expressions.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_EXPRESSION,
  ATTRIBUTE_TRANSCRIPTION_FINAL,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  ATTRIBUTE_TRANSCRIPTION_TRACK_ID,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";
import { expressionAttribute } from "./expression-attribute.ts";

/** Texts that are sent at once, and each second. Speech has four words a second. */
const RATE = { perSecond: 20, burst: 40 };
/** Segments that wait to be sent. The oldest are dropped, and counted. */
const MOST_WAITING = 50;
/** Longer texts are cut. */
const MOST_CHARACTERS = 5_000;
const SEND_TIMEOUT_MS = 5_000;

/** What is known of a segment: something that is said without a pause. */
export interface SegmentText {
  id: string;
  /** All of it so far. */
  text: string;
  /** Nothing more comes of it. */
  isFinal: boolean;
  /** What the face shows with it; undefined for what people say. */
  expression?: Expression;
}

export interface TranscriptionsOptions {
  room: Room;
  /** Of the participant who says it. */
  identity(): string | undefined;
  /** Of that participant's audio. */
  trackSid(): string | undefined;
  /** Whether the text of a segment only grows: its interim texts are one stream then, piece by piece. Otherwise each is
   *  a stream of its own, which replaces the one before. The final text is always one of its own: the SDK cannot mark
   *  the end of a stream. */
  grows: boolean;
  logger: Logger;
  /** A text that is not sent within this time is given up, ms. Default 5,000. */
  sendTimeoutMs?: number;
}

export class Transcriptions {
  readonly #options: TranscriptionsOptions;
  readonly #bucket = new TokenBucket(RATE);
  /** By id, oldest first. While a segment waits, its newest text replaces the one before. */
  readonly #waiting = new Map<string, SegmentText>();
  /** The stream that grows, and how much of its text was sent. */
  #open: { id: string; writer: TextStreamWriter; sentCharacters: number } | undefined;
  #isSending = false;
  #dropped = 0;

  constructor(options: TranscriptionsOptions) {
    this.#options = options;
  }

  /** Segments that were not shown, because too many came. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Sends a text after those of other segments before it. Never throws. */
  show(segment: SegmentText): void {
    const { id, text } = segment;
    this.#waiting.set(id, { ...segment, text: text.slice(0, MOST_CHARACTERS) });
    if (this.#waiting.size > MOST_WAITING) {
      const [oldest] = this.#waiting.keys();
      this.#waiting.delete(oldest);
      if (this.#dropped === 0) this.#options.logger.warn("too much is said, some of it is not shown");
      this.#dropped += 1;
    }
    if (!this.#isSending) void this.#sendAll();
  }

  /** What waits is not sent any more. Idempotent. */
  close(): void {
    this.#waiting.clear();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.size > 0) {
      // What comes meanwhile replaces what waits.
      if (this.#bucket.waitMs > 0) await delay(this.#bucket.waitMs);
      const [next] = this.#waiting.values();
      if (!next) break;
      this.#waiting.delete(next.id);
      this.#bucket.take(1);
      await this.#send(next);
    }
    this.#isSending = false;
  }

  async #send(segment: SegmentText): Promise<void> {
    const { logger, sendTimeoutMs = SEND_TIMEOUT_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the room takes no text")), sendTimeoutMs);
    });
    try {
      await Promise.race([Promise.all([this.#stream(segment), this.#publishPacket(segment)]), late]);
    } catch (error) {
      this.#open = undefined;
      // The session goes on if a text is lost.
      logger.debug({ err: error }, "transcription not sent");
    } finally {
      clearTimeout(timer);
    }
  }

  async #stream(segment: SegmentText): Promise<void> {
    const { id, text, isFinal } = segment;
    if (this.#open && (isFinal || this.#open.id !== id)) {
      const { writer } = this.#open;
      this.#open = undefined;
      await writer.close();
    }
    if (isFinal || !this.#options.grows) {
      const writer = await this.#openStream(segment);
      await writer?.write(text);
      await writer?.close();
      return;
    }
    if (!this.#open) {
      const writer = await this.#openStream(segment);
      if (!writer) return;
      this.#open = { id, writer, sentCharacters: 0 };
    }
    const { writer, sentCharacters } = this.#open;
    this.#open.sentCharacters = text.length;
    await writer.write(text.slice(sentCharacters));
  }

  async #openStream({ id, isFinal, expression }: SegmentText): Promise<TextStreamWriter | undefined> {
    const { room, identity, trackSid } = this.#options;
    const sid = trackSid();
    return room.localParticipant?.streamText({
      topic: TOPIC_TRANSCRIPTION,
      senderIdentity: identity(),
      attributes: {
        [ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID]: id,
        [ATTRIBUTE_TRANSCRIPTION_FINAL]: String(isFinal),
        ...(expression && { [ATTRIBUTE_TRANSCRIPTION_EXPRESSION]: expressionAttribute(expression) }),
        ...(sid !== undefined && { [ATTRIBUTE_TRANSCRIPTION_TRACK_ID]: sid }),
      },
    });
  }

  /** Of the older protocol, which names a track always. */
  async #publishPacket({ id, text, isFinal: final }: SegmentText): Promise<void> {
    const { room, identity, trackSid } = this.#options;
    const [participantIdentity, sid] = [identity(), trackSid()];
    if (participantIdentity === undefined || sid === undefined) return;
    const segment = { id, text, final, language: "", startTime: 0n, endTime: 0n };
    await room.localParticipant?.publishTranscription({ participantIdentity, trackSid: sid, segments: [segment] });
  }
}
