// Speaks messages in the avatar's own voice, one after the other.
import type { Logger } from "../../program/log.ts";
import type { SegmentEnd } from "../../room/playout/heard-events.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { SpeechOutput } from "../../src/conversation/turns/speech-output.ts";
import { AudioUtterance } from "./audio-utterance.ts";
import { RoomUtterance, type RoomUtteranceOptions } from "./room-utterance.ts";

/** Prefix of the ids of segments that the avatar speaks by itself; they are not reported to any sender. */
const SPOKEN_SEGMENT_PREFIX = "speak-";

const QUEUE_LIMIT_MESSAGES = 20;

export interface SpeakerOptions extends Omit<RoomUtteranceOptions, "id"> {
  logger: Logger;
  /** Called when a message was added to `waiting` or has left it. */
  onWaiting?(): void;
}

/** A queue of messages, bounded at 20; more are refused. A conversation has utterances of its own (`speak`) instead:
 *  one at a time. */
export class Speaker implements SpeechOutput {
  readonly #options: SpeakerOptions;
  /** Messages of which nothing has been heard, by segment id. */
  readonly #unheard = new Map<string, string>();
  #waitingCount = 0;
  #utteranceCount = 0;
  /** Incremented by every clear. A message that began before the last clear is dropped. */
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();
  /** Utterances that are not over, in order. */
  readonly #live = new Set<RoomUtterance | AudioUtterance>();

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  /** The first 20 messages of which nothing has been heard yet: the next process of the session can speak them. */
  get waiting(): string[] {
    return [...this.#unheard.values()].slice(0, QUEUE_LIMIT_MESSAGES);
  }

  /** Speaks a message after those already waiting. Resolves with true when the engine has its first audio, with
   *  false if the message was dropped or has no words. Rejects with the error of the voice (see `Voice`), or with
   *  SERVICE_UNAVAILABLE if too many messages wait. */
  async say(message: string): Promise<boolean> {
    if (this.#waitingCount >= QUEUE_LIMIT_MESSAGES) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "Too many messages are waiting to be spoken. Try again.", {
        retryAfterSeconds: 5,
      });
    }
    this.#waitingCount++;
    const segmentId = this.#nextId();
    const epoch = this.#epoch;
    this.#unheard.set(segmentId, message);
    this.#options.onWaiting?.();
    return new Promise((resolve, reject) => {
      this.#turn = this.#turn
        .then(() => (epoch === this.#epoch ? this.#speak(segmentId, message, resolve) : undefined))
        .catch((error) => {
          this.#options.logger.warn({ segmentId, err: error }, "message not spoken");
          reject(error);
        })
        .finally(() => {
          this.#waitingCount--;
          resolve(false);
        });
    });
  }

  speak(): RoomUtterance {
    return this.#begin(this.#nextId());
  }

  /** Begins an utterance with the caller's audio. */
  play(sampleRateHz: number): AudioUtterance {
    return this.#keep(new AudioUtterance({ ...this.#options, id: this.#nextId(), sampleRateHz }));
  }

  /** Drops the message that is being spoken and all waiting ones. The caller clears the engine's audio. */
  clear(): void {
    this.#epoch++;
    for (const utterance of this.#live) utterance.drop();
    this.#unheard.clear();
    this.#options.onWaiting?.();
  }

  /** The first audio of a segment is heard. */
  started(segmentId: string): void {
    this.#ownerOf(segmentId)?.segmentStarted();
  }

  /** Audio of a segment, up to `untilMs` of it, has left for the room. */
  queued(segmentId: string, untilMs: number): void {
    this.#settle(segmentId);
    this.#ownerOf(segmentId)?.segmentQueued(segmentId, untilMs);
  }

  /** A segment is over. */
  finished(segmentId: string, end: SegmentEnd): void {
    this.#ownerOf(segmentId)?.segmentFinished(segmentId, end);
  }

  #nextId(): string {
    return `${SPOKEN_SEGMENT_PREFIX}${++this.#utteranceCount}`;
  }

  #begin(id: string): RoomUtterance {
    return this.#keep(new RoomUtterance({ ...this.#options, id }));
  }

  #keep<Utterance extends RoomUtterance | AudioUtterance>(utterance: Utterance): Utterance {
    this.#live.add(utterance);
    void utterance.ended.then(() => this.#live.delete(utterance));
    return utterance;
  }

  #ownerOf(segmentId: string): RoomUtterance | AudioUtterance | undefined {
    return [...this.#live].find((utterance) => utterance.owns(segmentId));
  }

  async #speak(segmentId: string, message: string, onFirst: (spoken: true) => void): Promise<void> {
    const utterance = this.#begin(segmentId);
    utterance.add(message);
    utterance.end();
    let hasAudio = false;
    try {
      hasAudio = await utterance.made;
    } finally {
      if (!hasAudio) this.#settle(segmentId);
    }
    if (hasAudio) onFirst(true);
    await utterance.spoken;
  }

  #settle(segmentId: string): void {
    if (this.#unheard.delete(segmentId)) this.#options.onWaiting?.();
  }
}
