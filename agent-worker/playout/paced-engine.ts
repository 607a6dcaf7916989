// How an engine is created for the pacer.
import type { EngineOptions } from "../../src/engine/create-engine.ts";

/** Steps by which audio is output before its video frame. Two are the look-ahead of lip sync, so audio waits for none
 *  of it: a real-time sender's audio can fill a reserve in that time. */
export const AUDIO_LEAD_TICKS = 2;

/** Options of every engine that a `FramePacer` plays. A real-time sender's audio starts when 100 ms have arrived; in
 *  steady state 60 to 100 ms are queued, which is how long a stall may last without being heard. Measured beside other
 *  busy processes: 17 to 49 ms were left at the worst moments, and the 95th percentile of latency was 186 to 204 ms. So
 *  less would be heard, and more would take longer than 200 ms. */
export const PACED_ENGINE = {
  audioLeadTicks: AUDIO_LEAD_TICKS,
  startReserveMs: 100,
  liveClock: () => performance.now(),
} as const satisfies Partial<EngineOptions>;
