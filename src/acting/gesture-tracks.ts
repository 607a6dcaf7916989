// The gestures in every bundle: tracks of face parameters that are added to the other motion of the face.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX, type FacePose } from "../../shared/face-parameters.ts";
import { FRAME_RATE_FPS } from "../../shared/units.ts";

/** Key poses at times in seconds. The track eases from one to the next, and is zero before the first and after the
 *  last. */
type Keyframes = readonly (readonly [seconds: number, pose: FacePose])[];

const NOTHING: FacePose = {};

const GESTURES: Readonly<Record<string, Keyframes>> = {
  nod: [
    [0, NOTHING],
    [0.2, { pitch: -0.15 }],
    [0.44, { pitch: 0.85, ty: 0.25 }],
    [0.68, { pitch: -0.1 }],
    [0.9, { pitch: 0.5, ty: 0.12 }],
    [1.2, NOTHING],
  ],
  shake: [
    [0, NOTHING],
    [0.24, { yaw: 0.7, brow: -0.2 }],
    [0.54, { yaw: -0.75, brow: -0.25 }],
    [0.84, { yaw: 0.6, brow: -0.2 }],
    [1.12, { yaw: -0.35 }],
    [1.4, NOTHING],
  ],
  wink: [
    [0, NOTHING],
    [0.16, { blinkR: 1, smile: 0.25, roll: 0.25, brow: 0.1 }],
    [0.36, { blinkR: 1, smile: 0.35, roll: 0.35, brow: 0.1 }],
    [0.56, { smile: 0.3, roll: 0.25 }],
    [1, NOTHING],
  ],
  surprise: [
    [0, NOTHING],
    [0.2, { brow: 0.9, jaw: 0.3, funnel: 0.2, pitch: -0.3, ty: -0.2 }],
    [0.9, { brow: 0.8, jaw: 0.22, funnel: 0.2, pitch: -0.25 }],
    [1.5, NOTHING],
  ],
  thinking: [
    [0, NOTHING],
    [0.5, { gazeX: 0.7, gazeY: -0.7, yaw: 0.25, roll: 0.35, brow: 0.3, pucker: 0.12 }],
    [1.7, { gazeX: 0.6, gazeY: -0.6, yaw: 0.3, roll: 0.4, brow: 0.25, pucker: 0.15 }],
    [2.3, NOTHING],
  ],
  // Out of breath at the end: the head goes back, then comes forward with each burst.
  laugh: [
    [0, NOTHING],
    [0.28, { smile: 0.7, wide: 0.4, jaw: 0.35, upraise: 0.25, blinkL: 0.3, blinkR: 0.3, pitch: -0.55, brow: 0.25 }],
    [0.5, { smile: 0.85, wide: 0.45, jaw: 0.18, upraise: 0.3, blinkL: 0.55, blinkR: 0.55, pitch: -0.1, ty: 0.3 }],
    [0.7, { smile: 0.85, wide: 0.45, jaw: 0.4, upraise: 0.3, blinkL: 0.55, blinkR: 0.55, pitch: -0.35, roll: 0.15 }],
    [0.9, { smile: 0.85, wide: 0.45, jaw: 0.2, upraise: 0.3, blinkL: 0.55, blinkR: 0.55, pitch: 0.15, ty: 0.35 }],
    [1.1, { smile: 0.85, wide: 0.45, jaw: 0.36, upraise: 0.3, blinkL: 0.5, blinkR: 0.5, pitch: -0.15, roll: -0.15 }],
    [1.3, { smile: 0.8, wide: 0.4, jaw: 0.16, upraise: 0.25, blinkL: 0.4, blinkR: 0.4, pitch: 0.2, ty: 0.3 }],
    [1.7, { smile: 0.65, wide: 0.3, jaw: 0.1, upraise: 0.12, blinkL: 0.15, blinkR: 0.15, pitch: 0.05 }],
    [2.6, NOTHING],
  ],
  laugh_react: [
    [0, NOTHING],
    [0.24, { smile: 0.6, wide: 0.35, jaw: 0.25, upraise: 0.2, blinkL: 0.3, blinkR: 0.3, pitch: -0.2 }],
    [0.44, { smile: 0.75, wide: 0.4, jaw: 0.14, upraise: 0.25, blinkL: 0.4, blinkR: 0.4, pitch: 0.15, ty: 0.25 }],
    [0.64, { smile: 0.75, wide: 0.4, jaw: 0.28, upraise: 0.25, blinkL: 0.4, blinkR: 0.4, pitch: -0.1 }],
    [0.84, { smile: 0.75, wide: 0.4, jaw: 0.14, upraise: 0.25, blinkL: 0.4, blinkR: 0.4, pitch: 0.15, ty: 0.25 }],
    [1.1, { smile: 0.7, wide: 0.35, jaw: 0.1, upraise: 0.15, blinkL: 0.2, blinkR: 0.2 }],
    [1.9, NOTHING],
  ],
  blow_kiss_heart: [
    [0, NOTHING],
    [0.3, { smile: 0.3, roll: 0.25 }],
    [0.6, { pucker: 0.9, funnel: 0.3, roll: 0.3, pitch: 0.2 }],
    [0.9, { pucker: 0.8, funnel: 0.35, jaw: 0.06, roll: 0.3, pitch: -0.15, blinkL: 0.5, blinkR: 0.5 }],
    [1.15, { smile: 0.45, roll: 0.25, brow: 0.2 }],
    [2, NOTHING],
  ],
  talk_head_nod_subtle: [
    [0, NOTHING],
    [0.28, { pitch: 0.32, ty: 0.08 }],
    [0.6, { pitch: -0.05 }],
    [0.86, { pitch: 0.2 }],
    [1.2, NOTHING],
  ],
  // The video frame shows no hands, so the greeting is a tilt, raised brows and a smile.
  mini_wave_hello: [
    [0, NOTHING],
    [0.3, { roll: 0.6, brow: 0.6, smile: 0.45, pitch: -0.15 }],
    [0.6, { roll: 0.45, brow: 0.4, smile: 0.5, pitch: 0.3 }],
    [0.9, { roll: 0.55, brow: 0.3, smile: 0.5 }],
    [1.3, { roll: 0.3, smile: 0.35 }],
    [1.8, NOTHING],
  ],
  idle_subtle: [
    [0, NOTHING],
    [1.1, { yaw: 0.18, roll: 0.15, tx: 0.15 }],
    [2.2, { yaw: -0.1, roll: -0.1, smile: 0.12 }],
    [3.2, { yaw: -0.16, tx: -0.12, smile: 0.08 }],
    [4.4, NOTHING],
  ],
};

/** Track by name: float32 [frames × 21] at 25 fps, first and last frame zero. */
export function gestureTracks(): Map<string, Float32Array> {
  return new Map(Object.entries(GESTURES).map(([name, keyframes]) => [name, track(keyframes)]));
}

function track(keyframes: Keyframes): Float32Array {
  const lastSeconds = keyframes[keyframes.length - 1][0];
  const frameCount = Math.ceil(lastSeconds * FRAME_RATE_FPS) + 1;
  const values = new Float32Array(frameCount * FACE_PARAMETER_COUNT);
  for (let frame = 0; frame < frameCount; frame++) {
    const seconds = Math.min(frame / FRAME_RATE_FPS, lastSeconds);
    const next = Math.max(
      1,
      keyframes.findIndex(([at]) => at >= seconds - 1e-9),
    );
    const [fromSeconds, from] = keyframes[next - 1];
    const [toSeconds, to] = keyframes[next];
    const t = Math.min(1, Math.max(0, (seconds - fromSeconds) / (toSeconds - fromSeconds)));
    // Half a cosine, so that motion starts and stops gently.
    const share = (1 - Math.cos(Math.PI * t)) / 2;
    for (const name of Object.keys({ ...from, ...to }) as (keyof FacePose)[]) {
      const value = (from[name] ?? 0) * (1 - share) + (to[name] ?? 0) * share;
      values[frame * FACE_PARAMETER_COUNT + FACE_PARAMETER_INDEX[name]] = value;
    }
  }
  return values;
}
