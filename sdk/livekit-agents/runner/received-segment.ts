// The audio of a segment that is being received.
import type { SegmentInput } from "../../../src/face/engine/engine.ts";
import { SampleQueue } from "../../../src/face/engine/sample-queue.ts";

export class ReceivedSegment implements SegmentInput {
  readonly segmentId: string;
  readonly sampleRateHz: number;
  /** Some of it was taken. */
  isRead = false;
  readonly #mayGrow: (samples: number) => boolean;
  readonly #samples = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  #isEnded = false;
  #isCut = false;

  /** `mayGrow`: whether there is room for more samples; what there is no room for is dropped. */
  constructor(segmentId: string, sampleRateHz: number, mayGrow: (samples: number) => boolean) {
    this.#mayGrow = mayGrow;
    this.segmentId = segmentId;
    this.sampleRateHz = sampleRateHz;
  }

  /** Samples that wait to be taken. */
  get waiting(): number {
    return this.#samples.length;
  }

  /** No more audio comes. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  push(samples: Int16Array): void {
    if (!this.#isCut && this.#mayGrow(samples.length)) this.#samples.push(samples);
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Drops its audio, also what still comes. */
  cut(): void {
    this.#isCut = true;
    this.#samples.clear();
  }

  /** The next frame of this length, or a shorter one at the end; undefined until it has arrived, and at the end. */
  take(lengthMs: number): Int16Array | undefined {
    const wanted = Math.ceil((this.sampleRateHz * lengthMs) / 1000);
    const count = this.#isEnded ? Math.min(wanted, this.#samples.length) : wanted;
    if (count === 0 || this.#samples.length < count) return undefined;
    const samples = new Int16Array(count);
    this.#samples.takeInto(samples);
    return samples;
  }
}
