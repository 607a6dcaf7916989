// Speaks messages in the avatar's own voice: synthesizes text sentence by sentence and passes the audio to the engine,
// one message after the other, a few seconds ahead of what is heard.
import { ServiceError } from "../../shared/errors.ts";
import type { Logger } from "../../shared/log.ts";
import type { Engine, SegmentInput } from "../../src/engine/engine.ts";
import type { SpeechOptions, Voice } from "../../src/voice/voice.ts";
import type { Captions } from "./captions.ts";

/** Prefix of the ids of segments that the avatar speaks by itself; they are not reported to any sender. */
const SPOKEN_SEGMENT_PREFIX = "speak-";

const QUEUE_LIMIT_MESSAGES = 20;
/** How far the voice may be ahead of what is heard, ms. A message of 5,000 characters lasts five minutes: synthesized
 *  at once, it would take seconds of CPU from its first words, and a few of them would overflow the engine's queue. */
const AHEAD_LIMIT_MS = 10_000;

export interface SpeakerOptions {
  engine: Engine;
  voice: Voice;
  speech: SpeechOptions;
  captions: Captions;
  logger: Logger;
  /** Called whenever audio or the end of a segment was passed to the engine. */
  onAudio(): void;
  /** Called when a message was added to `waiting` or has left it. */
  onWaiting?(): void;
}

/** The message that is being spoken. */
interface SpokenMessage {
  segmentId: string;
  /** How much of it has left for the room, ms. */
  queuedMs: number;
  /** Ends the wait for more of that. */
  wake(): void;
}

/** A queue of messages, bounded at 20; more are refused. */
export class Speaker {
  readonly #options: SpeakerOptions;
  /** Messages of which nothing has been heard, by segment id. */
  readonly #unheard = new Map<string, string>();
  #waitingCount = 0;
  #messageCount = 0;
  /** Incremented by every clear. A message that began before the last clear is dropped. */
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();
  #spoken: SpokenMessage | undefined;

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
    const segmentId = `${SPOKEN_SEGMENT_PREFIX}${++this.#messageCount}`;
    const epoch = this.#epoch;
    this.#unheard.set(segmentId, message);
    this.#options.onWaiting?.();
    return new Promise((resolve, reject) => {
      this.#turn = this.#turn
        .then(() => this.#speak(segmentId, message, epoch, resolve))
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

  /** Drops the message that is being spoken and all waiting ones. The caller clears the engine's audio. */
  clear(): void {
    this.#epoch++;
    this.#spoken?.wake();
    this.#unheard.clear();
    this.#options.onWaiting?.();
  }

  /** Audio of a segment, up to `untilMs` of it, has left for the room. */
  queued(segmentId: string, untilMs: number): void {
    this.#settle(segmentId);
    if (this.#spoken?.segmentId !== segmentId) return;
    this.#spoken.queuedMs = untilMs;
    this.#spoken.wake();
  }

  async #speak(segmentId: string, message: string, epoch: number, onFirst: (spoken: true) => void): Promise<void> {
    const { engine, voice, speech, captions, onAudio } = this.#options;
    if (epoch !== this.#epoch) return;
    let segment: SegmentInput | undefined;
    let startMs = 0;
    const spoken: SpokenMessage = { segmentId, queuedMs: 0, wake: () => undefined };
    this.#spoken = spoken;
    try {
      for await (const { sampleRateHz, samples, sentence } of voice.synthesize(message, speech)) {
        if (epoch !== this.#epoch) return;
        segment ??= engine.openSegment(segmentId, sampleRateHz);
        if (sentence) captions.add(segmentId, startMs, sentence.text);
        segment.push(samples, sentence?.visemes);
        onAudio();
        startMs += (samples.length / sampleRateHz) * 1000;
        onFirst(true);
        while (epoch === this.#epoch && startMs - spoken.queuedMs > AHEAD_LIMIT_MS) await nextWake(spoken);
      }
    } finally {
      this.#spoken = undefined;
      if (segment) segment.end();
      else this.#settle(segmentId);
      onAudio();
    }
  }

  #settle(segmentId: string): void {
    if (this.#unheard.delete(segmentId)) this.#options.onWaiting?.();
  }
}

/** Resolves when `wake` is called. */
function nextWake(waiting: { wake: () => void }): Promise<void> {
  return new Promise((resolve) => {
    waiting.wake = resolve;
  });
}
