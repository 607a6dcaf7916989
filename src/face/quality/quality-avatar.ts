// An avatar with a mouth that a network renders during speech; the rig renders everything else, and the mouth at rest.

import { EngineError } from "../../../shared/engine-error.ts";
import { FACE_PARAMETER_INDEX, type FaceParameterName, toParameterVector } from "../../../shared/face-parameters.ts";
import type { I420Frame } from "../../signal/image/i420-frame.ts";
import type { ImxManifest } from "../imx/manifest.ts";
import type { Avatar, MouthAudio } from "../rendering/avatar.ts";
import { FacePatch } from "./face-patch.ts";
import { MEL_BANDS, MEL_FRAMES, MEL_WINDOW_SAMPLES, MouthMel } from "./mouth-mel.ts";
import type { QualityNetwork } from "./quality-network.ts";

/** The window of a frame begins this many samples before it: one frame, and the half FFT around the first frame's
 *  centre. */
const WINDOW_LEAD_SAMPLES = 640 + 400;
/** Fade of the network's mouth per frame. */
const FADE = 0.34;
const SHOWN_ABOVE = 0.02;
/** Parameters that the rig ignores while the network renders the mouth. */
const MOUTH: readonly FaceParameterName[] = [
  "close",
  "jaw",
  "funnel",
  "pucker",
  "wide",
  "smile",
  "upraise",
  "lowdep",
  "rollU",
  "rollL",
  "tongue",
];

export class QualityAvatar implements Avatar {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly restPose: Avatar["restPose"];
  readonly gestures: Avatar["gestures"];
  readonly gestureFace: Avatar["gestureFace"];
  readonly headMotion: number;
  readonly renderedBy: Avatar["renderedBy"];
  readonly usesAudio = true;
  readonly #rig: Avatar;
  readonly #network: QualityNetwork;
  readonly #patch: FacePatch;
  readonly #mel = new MouthMel();
  readonly #features = new Float32Array(MEL_BANDS * MEL_FRAMES);
  readonly #face: Float32Array;
  readonly #rest: Float32Array;
  readonly #pose: Float32Array;
  #strength = 0;
  #lastMouth: Float32Array | null = null;

  /** Owns `rig` and `network`, and closes both. Throws EngineError(bundle-outdated) for a
   *  bundle that does not say where its face is. */
  constructor(rig: Avatar, manifest: ImxManifest, network: QualityNetwork) {
    if (!manifest.face) {
      throw new EngineError(
        "bundle-outdated",
        "The .imx was made before mouth networks were supported. Generate the model again.",
      );
    }
    const { widthPx, heightPx, restPose, gestures, headMotion } = rig;
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.restPose = restPose;
    this.gestures = gestures;
    this.gestureFace = rig.gestureFace;
    this.headMotion = headMotion;
    this.renderedBy = rig.renderedBy;
    this.#rig = rig;
    this.#network = network;
    this.#patch = new FacePatch(manifest.face, network.facePx);
    this.#face = new Float32Array(6 * network.facePx ** 2);
    this.#rest = toParameterVector(restPose);
    this.#pose = new Float32Array(this.#rest.length);
  }

  async render(parameters: Float32Array, breath?: number, audio?: MouthAudio | null): Promise<I420Frame> {
    this.#strength += FADE * ((audio ? 1 : 0) - this.#strength);
    this.#pose.set(parameters);
    if (this.#strength > SHOWN_ABOVE) {
      // The network animates the mouth in its input; a closed one gives the best results.
      for (const name of MOUTH) {
        const k = FACE_PARAMETER_INDEX[name];
        this.#pose[k] += this.#strength * (this.#rest[k] - this.#pose[k]);
      }
    }
    const frame = await this.#rig.render(this.#pose, breath);
    if (this.#strength <= SHOWN_ABOVE) return frame;
    if (audio) this.#lastMouth = await this.#speak(frame, audio);
    if (this.#lastMouth) this.#patch.paste(frame, this.#lastMouth, this.#strength);
    return frame;
  }

  async close(): Promise<void> {
    await this.#rig.close();
    await this.#network.close();
  }

  async #speak(frame: I420Frame, { samples, frameStart }: MouthAudio): Promise<Float32Array> {
    const start = frameStart - WINDOW_LEAD_SAMPLES - 1;
    this.#mel.compute(samples.subarray(start, start + 1 + MEL_WINDOW_SAMPLES), this.#features);
    this.#patch.cut(frame, this.#face);
    return this.#network.run(this.#features, this.#face);
  }
}
