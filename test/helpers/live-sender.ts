// A voice agent that speaks in real time, on a clock of its own.
import { HOP_MS } from "../../shared/units.ts";
import type { Engine, EngineTick, SegmentInput } from "../../src/engine/engine.ts";
import { HOP, RATE_HZ } from "./with-engine.ts";

/** A sender in real time: one 20 ms piece of a tone after the other, each at its time on a clock of its own. */
export class LiveSender {
  nowMs = 0;
  sentMs = 0;
  readonly clock = () => this.nowMs;

  /** Lets one tick's time go by, in which audio arrives unless it is held up. */
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
