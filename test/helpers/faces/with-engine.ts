// An engine with an avatar that renders nothing and records its poses, for tests of queue, playout and acting. Tests in
// test/cli render a real face.

import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { createEngine, type EngineOptions } from "../../../src/face/engine/create-engine.ts";
import type { Engine, EngineEvent, EngineTick } from "../../../src/face/engine/engine.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";

/** Rate of the engine's audio, Hz, and samples of one tick. */
export const RATE_HZ = 48_000;
export const HOP = (RATE_HZ * HOP_MS) / 1000;

export const runtime = createNodeRuntime();
export const lipSyncModel = await loadLipSyncModel();

export interface PosedAvatar extends Avatar {
  /** The poses that it had to render, newest last. */
  readonly poses: Float32Array[];
}

/** Renders 16 × 16 black pixels; knows the gesture `wave`, three ticks long. */
export function posedAvatar(): PosedAvatar {
  const poses: Float32Array[] = [];
  return {
    poses,
    widthPx: 16,
    heightPx: 16,
    restPose: {},
    gestures: new Map([["wave", new Float32Array(FACE_PARAMETER_COUNT * 3).fill(0.5)]]),
    headMotion: 1,
    render: async (pose) => {
      poses.push(pose.slice());
      return { data: new Uint8Array((16 * 16 * 3) / 2), widthPx: 16, heightPx: 16 };
    },
    close: async () => undefined,
  };
}

/** An engine at RATE_HZ, closed afterwards, and its avatar's poses. */
export async function withEngine(
  options: Partial<EngineOptions>,
  use: (engine: Engine, poses: Float32Array[]) => Promise<void>,
): Promise<void> {
  const avatar = posedAvatar();
  const engine = await createEngine({ avatar, runtime, lipSyncModel, sampleRateHz: RATE_HZ, ...options });
  try {
    await use(engine, avatar.poses);
  } finally {
    await engine.close();
  }
}

/** Distinct, never zero samples, so that audio can be recognised. */
export function ramp(count: number, start = 1): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => ((start + i) % 30_000) + 1);
}

export interface Played {
  ticks: EngineTick[];
  /** All samples of ticks that spoke. */
  audio: number[];
  events: EngineEvent[];
}

/** The next `count` ticks. */
export async function play(engine: Engine, count: number): Promise<Played> {
  const played: Played = { ticks: [], audio: [], events: [] };
  for (let i = 0; i < count; i++) {
    const tick = await engine.tick();
    played.ticks.push({ ...tick, audio: tick.audio.slice() });
    if (tick.isSpeaking) played.audio.push(...tick.audio);
    played.events.push(...tick.events);
  }
  return played;
}

export const started = (segmentId: string): EngineEvent => ({ type: "segment-started", segmentId });

export const finished = (segmentId: string, positionMs: number, interrupted = false): EngineEvent => ({
  type: "segment-finished",
  segmentId,
  positionMs,
  interrupted,
});
