// Whether a viewer that renders sees the mouth shapes that the engine makes of the same speech.
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { createEngine } from "../../../../src/face/engine/create-engine.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { MOUTH_POSE_VECTORS } from "../../../../src/face/lip-sync/mouth-poses.ts";
import type { Avatar } from "../../../../src/face/rendering/avatar.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { percentile } from "../../percentile.ts";

/** Face parameters by frame; null for a frame that did not arrive. */
export type PoseCourse = readonly (ArrayLike<number> | null)[];

export interface VisemeAgreement {
  /** Frames of speech that were compared. */
  frames: number;
  /** Share of them with the same viseme, 0..1. */
  share: number;
  /** Share among those that arrived. */
  share_of_arrived: number;
}

const MOUTH = (
  ["close", "jaw", "funnel", "pucker", "wide", "upraise", "lowdep", "rollU", "rollL", "tongue"] as const
).map((name) => FACE_PARAMETER_INDEX[name]);
/** Compared at one offset, frames: a worker shortens the audio of a sender that was late. */
const WINDOW_FRAMES = 25;
/** From one window to the next, frames. */
const LARGEST_SHIFT = 3;
const SILENT_FRAMES = 50;

/** The poses of speech, after some of silence. `samples`: mono int16. */
export async function posesOf(samples: Int16Array, rateHz: number): Promise<Float32Array[]> {
  const runtime = createNodeRuntime();
  const engine = await createEngine({ avatar: UNSEEN, runtime, lipSyncModel: await loadLipSyncModel() });
  const poses: Float32Array[] = [];
  const step = async () => {
    poses.push(engine.pose((await engine.nextAudio()).frameInput).parameters);
  };
  try {
    for (let frame = 0; frame < SILENT_FRAMES; frame++) await step();
    const segment = engine.openSegment("speech", rateHz);
    segment.push(samples);
    segment.end();
    while (engine.readiness() !== "idle") await step();
    for (let frame = 0; frame < SILENT_FRAMES; frame++) await step();
  } finally {
    await engine.close();
  }
  return poses;
}

/** Compares frame by frame. Both begin with silence, which tells the portrait's rest pose; `expected` may have more
 *  frames than `shown`. Frames that show silence in both are left out. */
export function visemeAgreement(shown: PoseCourse, expected: PoseCourse): VisemeAgreement {
  const [a, b] = [visemesOf(shown), visemesOf(expected)];
  let [frames, same, arrived] = [0, 0, 0];
  let offset: number | undefined;
  for (let from = 0; from < a.length; from += WINDOW_FRAMES) {
    const window = a.slice(from, from + WINDOW_FRAMES);
    const isSpeech = window.some((viseme) => viseme !== null && viseme !== SILENT);
    if (!isSpeech) continue;
    offset = bestOffset(window, from, b, offset);
    for (const [index, viseme] of window.entries()) {
      const other = b[from + index + offset] ?? SILENT;
      if (other === SILENT && (viseme === SILENT || viseme === null)) continue;
      frames += 1;
      if (viseme !== null) arrived += 1;
      if (viseme === other) same += 1;
    }
  }
  return { frames, share: same / Math.max(1, frames), share_of_arrived: same / Math.max(1, arrived) };
}

const SILENT = 0;

function bestOffset(
  window: readonly (number | null)[],
  from: number,
  expected: readonly (number | null)[],
  before: number | undefined,
): number {
  const [first, last] =
    before === undefined ? [-from, expected.length - from] : [before - LARGEST_SHIFT, before + LARGEST_SHIFT];
  let best = { offset: before ?? 0, same: -1 };
  for (let offset = first; offset <= last; offset++) {
    const same = window.filter((viseme, index) => viseme !== null && viseme === expected[from + index + offset]).length;
    const isNearer = before !== undefined && Math.abs(offset - before) < Math.abs(best.offset - before);
    if (same > best.same || (same === best.same && isNearer)) best = { offset, same };
  }
  return best.offset;
}

/** The nearest viseme of each frame, by what its mouth differs from rest. */
function visemesOf(course: PoseCourse): (number | null)[] {
  const silent = course.slice(0, SILENT_FRAMES / 2).filter((pose) => pose !== null);
  const rest = MOUTH.map((k) =>
    silent.length > 0
      ? percentile(
          silent.map((pose) => pose[k]),
          0.5,
        )
      : 0,
  );
  return course.map((pose) => {
    if (pose === null) return null;
    const distances = MOUTH_POSE_VECTORS.map((vector) =>
      MOUTH.reduce((sum, k, index) => sum + (pose[k] - rest[index] - vector[k]) ** 2, 0),
    );
    return distances.indexOf(Math.min(...distances));
  });
}

/** An avatar that is posed and never rendered. */
const UNSEEN: Avatar = {
  widthPx: 16,
  heightPx: 16,
  restPose: {},
  gestures: new Map(),
  headMotion: 1,
  render: async () => ({ data: new Uint8Array((16 * 16 * 3) / 2), widthPx: 16, heightPx: 16 }),
  close: async () => undefined,
};
