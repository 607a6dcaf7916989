// How an engine is created for the pacer.
import type { EngineOptions } from "../../src/face/engine/create-engine.ts";
import { StartReserve } from "./start-reserve.ts";

/** Steps by which audio is output before its video frame. Two are the look-ahead of lip sync, so audio waits for none
 *  of it: a real-time sender's audio can fill a reserve in that time. */
export const AUDIO_LEAD_TICKS = 2;

/** Options of every engine that a `FramePacer` plays. `reserve`: the pacer's. */
export function pacedEngine(reserve: Pick<StartReserve, "ms"> = new StartReserve()) {
  return {
    audioLeadTicks: AUDIO_LEAD_TICKS,
    startReserveMs: () => reserve.ms,
    liveClock: () => performance.now(),
  } as const satisfies Partial<EngineOptions>;
}
