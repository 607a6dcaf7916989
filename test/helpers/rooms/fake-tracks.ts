// Tracks that play into memory at real pace, for tests of the pacer without a room.
import type { OutputTracks } from "../../../room/playout/output-tracks.ts";
import { RATE_HZ } from "../faces/with-engine.ts";

export class FakeTracks implements OutputTracks {
  /** Samples that were played or will be: what a listener hears. */
  readonly played: number[] = [];
  /** Timestamps of the video frames, ms. */
  readonly framesMs: number[] = [];
  /** Calls that queued audio. */
  audioCalls = 0;
  #endsAtMs = 0;

  get queuedAudioMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Played samples of speech; tests never use zeros as speech. */
  get speech(): number[] {
    return this.played.filter((sample) => sample !== 0);
  }

  showFrame(_frame: unknown, timestampUs: bigint): void {
    this.framesMs.push(Number(timestampUs) / 1000);
  }

  async queueAudio(samples: Int16Array): Promise<void> {
    this.audioCalls += 1;
    for (const sample of samples) this.played.push(sample);
    this.#endsAtMs = Math.max(this.#endsAtMs, performance.now()) + (samples.length * 1000) / RATE_HZ;
  }

  clearAudio(): void {
    const unplayed = Math.round((this.queuedAudioMs * RATE_HZ) / 1000);
    this.played.length = Math.max(0, this.played.length - unplayed);
    this.#endsAtMs = 0;
  }

  /** Empties the queue at once, as if everything in it had been played. */
  runEmpty(): void {
    this.#endsAtMs = 0;
  }
}
