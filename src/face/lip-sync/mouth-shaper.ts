// Moves the mouth from video frame to video frame: blends the poses of the visemes, follows loudness and tempo, applies
// lip closures and limits jaw chatter.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { VISEME_COUNT, VISEME_INDEX } from "../../speech/visemes/visemes.ts";
import { DEFAULT_EXPRESSIVENESS, movementSize } from "./expressiveness.ts";
import { JawRestraint } from "./jaw-restraint.ts";
import type { SpeechFeatures } from "./lip-sync-stream.ts";
import { MOUTH_POSE_VECTORS } from "./mouth-poses.ts";
import { SpeakingRate } from "./speaking-rate.ts";

/** Closure strength at which the lips begin to close, and at which they are shut. The values are low, because viewers
 *  notice a missed closure sooner than a false one. They are not lower, because false closures are visible, too:
 *  compared with 0.04 and 0.18, five speakers lose 3 of 238 closures, and a quarter of the video frames that are shut
 *  without a P, B or M nearby. */
const CLOSURE_BEGINS = 0.12;
const CLOSURE_COMPLETE = 0.2;
/** Mean closure from which a video frame begins to count as shut, and from which it fully counts. A closure that begins
 *  or ends in a video frame is rendered there, but that frame does not count as shut. Tuned on the tuning speaker: P, B
 *  and M found within 40 ms. */
const SHUT_BEGINS = 0.2;
const SHUT_COMPLETE = 0.8;
/** Remaining closure in the video frame after a closure: the lips part over 80 ms, so that a short vowel between two
 *  closures does not open the mouth wide. */
const RELEASING = 0.3;
/** Share of F and V in a video frame at which the lower lip begins to move to the upper teeth, and at which it touches
 *  them. Blended like the other shapes it would stop half way: within words, 70 ms of F are little more than half of
 *  the time that a video frame averages. */
const BITE_BEGINS = 0.25;
const BITE_COMPLETE = 0.5;
/** Share of the rounding that lips keep during a closure: those of "boom" stay narrow. */
const ROUNDING_KEPT = 0.6;
/** Smoothing factors per video frame. Lips are quick, the jaw is slow. */
const LIP_SPEED = 0.85;
const JAW_SPEED = 0.75;
/** Shares of the last shape that the mouth keeps in the frames after speech stops: it reaches rest after 120 ms,
 *  without a jump. */
const RELEASE: readonly number[] = [0.72, 0.3, 0.06];
/** Loudness at which the mouth opens as in the table, dB below the recent peak, and the change of the gain per dB. */
const REFERENCE_BELOW_PEAK_DB = 8;
const GAIN_PER_DB = 0.028;
const MIN_LOUDNESS_GAIN = 0.6;
const MAX_LOUDNESS_GAIN = 1.2;
/** Decay of the peak, dB per video frame: half a minute for 20 dB. */
const PEAK_DECAY_DB = 0.027;
/** The mouth opens less in fast speech: by a sixth at 1.6 times the tempo (1.2 times the detected changes). */
const TEMPO_LOSS = 0.85;
const MIN_TEMPO_GAIN = 0.75;
/** Speech value below which a video frame counts as a pause. */
const SPOKEN = 0.5;

const JAW = FACE_PARAMETER_INDEX.jaw;
const PUCKER = FACE_PARAMETER_INDEX.pucker;
const SHUT = MOUTH_POSE_VECTORS[VISEME_INDEX.PP];
const AT_TEETH = MOUTH_POSE_VECTORS[VISEME_INDEX.FF];
const VOWELS: ReadonlySet<number> = new Set((["aa", "E", "I", "O", "U"] as const).map((vowel) => VISEME_INDEX[vowel]));

/** The mouth of one avatar session, one call per video frame. Deterministic. */
export class MouthShaper {
  readonly #size: number;
  readonly #target = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #shape = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #released = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #rate = new SpeakingRate();
  readonly #restraint = new JawRestraint();
  #releaseStep = 0;
  #peakDb = -30;
  /** Closure with which the last frame was rendered; the lips part over two frames. */
  #renderedClosure = 0;
  #closed = 0;
  #held = 0;

  /** `expressiveness`: size of mouth movements, 0 (calm) to 1 (lively); see `movementSize`. Throws RangeError outside.
   *  */
  constructor(expressiveness = DEFAULT_EXPRESSIVENESS) {
    this.#size = movementSize(expressiveness);
  }

  /** How far the lips of the last video frame are shut, 0..1. Above 0.5 they are shut, in speech or at rest. */
  get closed(): number {
    return this.#closed;
  }

  /** How far P, B, M, F or V hold the lips of the last video frame, 0..1: nothing may part them there. */
  get held(): number {
    return this.#held;
  }

  /** Returns the mouth for the next 40 ms of speech: float32 [33] relative to the rest pose, valid until the next
   *  call. */
  speak(features: SpeechFeatures): Float32Array {
    if (features.speech >= SPOKEN) this.#rate.push(features.visemes);
    else this.#rate.pause();
    this.#mixTarget(features);
    const shape = this.#shape;
    const jaw = shape[JAW] + this.#jawStep();
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) shape[k] += LIP_SPEED * (this.#target[k] - shape[k]);
    shape[JAW] = jaw;
    const output = this.#released;
    output.set(shape);
    this.#closeLips(output, features);
    this.#restraint.rendered(output[JAW]);
    this.#releaseStep = 0;
    return output;
  }

  /** Returns the mouth for 40 ms without speech, which eases to rest within 120 ms. Same format as `speak`. */
  rest(): Float32Array {
    const share = RELEASE[this.#releaseStep] ?? 0;
    const before = this.#releaseStep === 0 ? 1 : (RELEASE[this.#releaseStep - 1] ?? 0);
    const factor = before === 0 ? 0 : share / before;
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) this.#released[k] *= factor;
    this.#shape.set(this.#released);
    this.#releaseStep = Math.min(this.#releaseStep + 1, RELEASE.length);
    this.#renderedClosure = 0;
    this.#held = 0;
    this.#closed = Math.max(this.#closed, 1 - share);
    this.#rate.pause();
    this.#restraint.rendered(this.#released[JAW]);
    return this.#released;
  }

  /** Returns what brings the mouth back to now. */
  remember(): () => void {
    const [shape, released] = [this.#shape.slice(), this.#released.slice()];
    const [step, peakDb, closure, closed] = [this.#releaseStep, this.#peakDb, this.#renderedClosure, this.#closed];
    const held = this.#held;
    const [restoreRate, restoreRestraint] = [this.#rate.remember(), this.#restraint.remember()];
    return () => {
      this.#shape.set(shape);
      this.#released.set(released);
      [this.#releaseStep, this.#peakDb, this.#renderedClosure, this.#closed] = [step, peakDb, closure, closed];
      this.#held = held;
      restoreRate();
      restoreRestraint();
    };
  }

  #jawStep(): number {
    const distance = this.#target[JAW] - this.#shape[JAW];
    // A calm mouth moves half as far, but equally often.
    return this.#restraint.permits(distance / this.#size) ? JAW_SPEED * distance : 0;
  }

  #mixTarget(features: SpeechFeatures): void {
    const size = features.speech * this.#size;
    const vowelGain = size * this.#loudnessGain(features.levelDb) * this.#tempoGain();
    this.#target.fill(0);
    for (let viseme = 0; viseme < VISEME_COUNT; viseme++) {
      // Consonants are always quiet, so their level does not tell how far the lips part or how round they are.
      const jawGain = VOWELS.has(viseme) ? vowelGain : size;
      // Closures are applied after blending; here they would only weaken the other poses.
      const weight = viseme === VISEME_INDEX.PP ? 0.15 * features.visemes[viseme] : features.visemes[viseme];
      const pose = MOUTH_POSE_VECTORS[viseme];
      for (let k = 0; k < FACE_PARAMETER_COUNT; k++) this.#target[k] += size * weight * pose[k];
      this.#target[JAW] += (jawGain - size) * weight * pose[JAW];
    }
  }

  /** Louder speech opens the mouth further, relative to this voice's own loudness. */
  #loudnessGain(levelDb: number): number {
    this.#peakDb = Math.max(levelDb, this.#peakDb - PEAK_DECAY_DB);
    const gain = 1 + GAIN_PER_DB * (levelDb - (this.#peakDb - REFERENCE_BELOW_PEAK_DB));
    return Math.min(MAX_LOUDNESS_GAIN, Math.max(MIN_LOUDNESS_GAIN, gain));
  }

  #tempoGain(): number {
    return Math.min(1, Math.max(MIN_TEMPO_GAIN, 1 - TEMPO_LOSS * (this.#rate.relative - 1)));
  }

  /** Moves the lips to each other or to the teeth, over the blended pose. They shut within one video frame, because a
   *  closure lasts only two and must be visible, and part over two. */
  #closeLips(output: Float32Array, features: SpeechFeatures): void {
    const spoken = Math.min(1, features.speech * 2);
    const now = smoothstep(features.closurePeak, CLOSURE_BEGINS, CLOSURE_COMPLETE) * spoken;
    const closure = Math.max(now, RELEASING * this.#renderedClosure);
    this.#renderedClosure = now;
    const rounding = output[PUCKER];
    const bite = smoothstep(features.visemes[VISEME_INDEX.FF], BITE_BEGINS, BITE_COMPLETE) * spoken;
    this.#held = Math.max(closure, bite);
    pull(output, AT_TEETH, bite);
    pull(output, SHUT, closure);
    output[PUCKER] += ROUNDING_KEPT * (rounding - output[PUCKER]);
    const rest = features.visemes[VISEME_INDEX.sil] + features.visemes[VISEME_INDEX.PP];
    const shutForAudio = smoothstep(features.closureMean, SHUT_BEGINS, SHUT_COMPLETE) * spoken;
    this.#closed = Math.min(1, Math.max(shutForAudio, rest, 1 - features.speech));
  }
}

/** Interpolates a mouth towards a pose by `strength` (0..1). */
function pull(mouth: Float32Array, pose: Float32Array, strength: number): void {
  for (let k = 0; k < mouth.length; k++) mouth[k] += strength * (pose[k] - mouth[k]);
}
