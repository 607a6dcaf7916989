// A voice agent that speaks in real time, on its own clock.
import { HOP_MS } from "../../../shared/units.ts";
import type { Engine, EngineTick, SegmentInput } from "../../../src/face/engine/engine.ts";
import { HOP, RATE_HZ } from "../faces/with-engine.ts";

/** A real-time sender: sends a tone in chunks of 20 ms, each at its time on the sender's own clock. */
export class LiveSender {
  nowMs = 0;
  sentMs = 0;
  readonly clock = () => this.nowMs;

  /** Advances the clock by one tick, in which audio arrives unless it is delayed. */
  async tick(engine: Engine, input: SegmentInput, isHeldUp = false): Promise<EngineTick> {
    this.nowMs += HOP_MS;
    while (!isHeldUp && this.sentMs + 20 <= this.nowMs) {
      const from = (this.sentMs * RATE_HZ) / 1000;
      const tone = (_: unknown, i: number) => 8000 * Math.sin((2 * Math.PI * 150 * (from + i)) / RATE_HZ);
      input.push(Int16Array.from({ length: HOP / 2 }, tone));
      this.sentMs += 20;
    }
    return engine.tick();
  }
}
