// Speaks messages in the avatar's own voice: synthesizes text sentence by sentence and passes the audio to the engine,
// one message after the other.
import { ServiceError } from "../../shared/errors.ts";
import type { Logger } from "../../shared/log.ts";
import type { Engine, SegmentInput } from "../../src/engine/engine.ts";
import type { SpeechOptions, Voice } from "../../src/voice/voice.ts";
import type { Captions } from "./captions.ts";

/** Prefix of the ids of segments that the avatar speaks by itself; they are not reported to any sender. */
const SPOKEN_SEGMENT_PREFIX = "speak-";

const QUEUE_LIMIT_MESSAGES = 20;

export interface SpeakerOptions {
  engine: Engine;
  voice: Voice;
  speech: SpeechOptions;
  captions: Captions;
  logger: Logger;
  /** Called whenever audio or the end of a segment was passed to the engine. */
  onAudio(): void;
}

/** A queue of messages, bounded at 20; more are refused. */
export class Speaker {
  readonly #options: SpeakerOptions;
  #waitingCount = 0;
  #messageCount = 0;
  /** Incremented by every clear. A message that began before the last clear is dropped. */
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  /** Speaks a message after those already waiting. Resolves with true when the engine has its first sentence, with
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
  }

  async #speak(segmentId: string, message: string, epoch: number, onFirst: (spoken: true) => void): Promise<void> {
    const { engine, voice, speech, captions, onAudio } = this.#options;
    if (epoch !== this.#epoch) return;
    let segment: SegmentInput | undefined;
    let startMs = 0;
    try {
      for await (const sentence of voice.synthesize(message, speech)) {
        if (epoch !== this.#epoch) return;
        segment ??= engine.openSegment(segmentId, sentence.sampleRateHz);
        captions.add(segmentId, startMs, sentence.text);
        segment.push(sentence.samples, sentence.visemes);
        onAudio();
        startMs += (sentence.samples.length / sentence.sampleRateHz) * 1000;
        onFirst(true);
      }
    } finally {
      segment?.end();
      onAudio();
    }
  }
}
