// The steps of a face that is rendered in a worker.

import type { Expression } from "../../../../shared/expressions.ts";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import type { SegmentInput } from "../../../../src/face/engine/engine.ts";
import type { HeardOfUser } from "../../../../src/face/motion/listening-reactions.ts";
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from "../../../../src/signal/audio/resampler.ts";
import type { MotionOptions } from "../../avatar.ts";
import type { FaceCounters, FaceStep, FaceSteps, Picture } from "../face/face-steps.ts";
import type { WorkerLink } from "./worker-link.ts";

export class WorkerSteps implements FaceSteps {
  readonly sampleRateHz = PLAYOUT_SAMPLE_RATE_HZ;
  readonly #link: WorkerLink;
  readonly #gestures: readonly string[];
  #counters: FaceCounters = { ticks: 0, renderMs: 0, lipSyncMs: 0 };

  private constructor(link: WorkerLink, gestures: readonly string[]) {
    this.#link = link;
    this.#gestures = gestures;
  }

  /** The link stays the caller's. Throws RangeError for options out of range. */
  static async open(link: WorkerLink, gestures: readonly string[], options: MotionOptions): Promise<WorkerSteps> {
    await link.call({ name: "live", options });
    return new WorkerSteps(link, gestures);
  }

  openSegment(segmentId: string, sampleRateHz: number): SegmentInput {
    const isInRange = sampleRateHz >= MIN_SAMPLE_RATE_HZ && sampleRateHz <= MAX_SAMPLE_RATE_HZ;
    if (!Number.isInteger(sampleRateHz) || !isInRange) {
      throw new RangeError(`speech has 8,000 to 192,000 samples a second, not ${sampleRateHz}`);
    }
    this.#link.tell({ order: "segment", segmentId, sampleRateHz });
    return {
      segmentId,
      // A copy, because a part of an array would be sent with all of it.
      push: (samples) => this.#link.tell({ order: "push", segmentId, samples: samples.slice() }),
      end: () => this.#link.tell({ order: "end", segmentId }),
    };
  }

  async step(isHeld: boolean, used: Picture | undefined): Promise<FaceStep> {
    const transfer = used ? [used.data.buffer as ArrayBuffer] : [];
    const { counters, ...step } = await this.#link.call({ name: "step", isHeld, used }, transfer);
    this.#counters = counters;
    return step;
  }

  clear(): void {
    this.#link.tell({ order: "clear" });
  }

  trigger(gesture: string): boolean {
    if (!this.#gestures.includes(gesture)) return false;
    this.#link.tell({ order: "gesture", gesture });
    return true;
  }

  express(mood: Expression): void {
    this.#link.tell({ order: "express", mood });
  }

  listening(isListening: boolean): void {
    this.#link.tell({ order: "listening", isListening });
  }

  heard(what: HeardOfUser): void {
    this.#link.tell({ order: "heard", what });
  }

  thinking(isThinking: boolean): void {
    this.#link.tell({ order: "thinking", isThinking });
  }

  counters(): FaceCounters {
    return this.#counters;
  }

  async close(): Promise<void> {}
}
