// What an avatar runner takes its speech from.
import { EventEmitter } from "node:events";
import type { voice } from "@livekit/agents";
import type { AudioFrame } from "@livekit/rtc-node";

/** Speech of an agent, a segment after the other: frames, then the end of the segment. Fires `clear_buffer` when all
 *  that it has given, and is not played yet, must be silent at once; no end follows for a segment that was cut so. */
export abstract class AudioReceiver extends EventEmitter<{ clear_buffer: [] }> {
  /** Begins to receive. Once. */
  async start(): Promise<void> {}

  /** Tells the sender that the oldest segment that is not finished begins to be heard. */
  abstract notifyPlaybackStarted(): void | Promise<void>;

  /** Tells the sender that this segment is over. After `clear_buffer`, it tells it of all that were cut.
   *  `playbackPosition`: how much of it was heard, s. */
  abstract notifyPlaybackFinished(playbackPosition: number, interrupted: boolean): void | Promise<void>;

  /** Ends when the receiver is closed. To be iterated once. */
  abstract [Symbol.asyncIterator](): AsyncIterator<AudioFrame | voice.AudioSegmentEnd>;

  /** Stops receiving. Idempotent. */
  async aclose(): Promise<void> {}
}
