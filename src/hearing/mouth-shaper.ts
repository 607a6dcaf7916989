// Moves the mouth from video frame to video frame: mixes the classes' poses, follows loudness and tempo, holds
// closures, calms the jaw.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX } from "../../shared/face-parameters.ts";
import { smoothstep } from "../math/smoothstep.ts";
import { DEFAULT_EXPRESSIVENESS, movementSize } from "./expressiveness.ts";
import type { HeardSpeech } from "./hearing-stream.ts";
import { JawRestraint } from "./jaw-restraint.ts";
import { MOUTH_POSE_VECTORS } from "./mouth-poses.ts";
import { SpeakingRate } from "./speaking-rate.ts";
import { VISEME_COUNT, VISEME_INDEX } from "./visemes.ts";

/** Closure strength at which the lips begin to close and at which they are shut. Low, because a closure that is missed
 *  is seen sooner than one too many; no lower, because lips that shut for nothing are seen, too: against .04 and .18,
 *  five speakers lose 3 of 238 closures, and a quarter of the video frames that are shut where no P, B or M is near. */
const CLOSURE_BEGINS = 0.12;
const CLOSURE_COMPLETE = 0.2;
/** Closure on the whole from which a video frame begins to count as shut, and from which it does wholly. A closure
 *  that begins or ends in a video frame is drawn there, but the video frame is not yet or no longer shut. Chosen on
 *  the speaker that hearing is tuned on: P, B and M found within 40 ms. */
const SHUT_BEGINS = 0.2;
const SHUT_COMPLETE = 0.8;
/** How shut the lips still are in the video frame after a closure: they part over 80 ms, and a short vowel between two
 *  closures does not gape. */
const RELEASING = 0.3;
/** Share of F and V in a video frame at which the lower lip sets out for the upper teeth, and at which it is there.
 *  Mixed like other shapes it would hang half way: in words 70 ms of F are little more than half of what a video frame
 *  is a mean of. */
const BITE_BEGINS = 0.25;
const BITE_COMPLETE = 0.5;
/** Share of the rounding that lips keep while they meet: those of "boom" stay narrow. */
const ROUNDING_KEPT = 0.6;
/** Share of the way to the target in one video frame. Lips are quick, the jaw is heavy. */
const LIP_SPEED = 0.85;
const JAW_SPEED = 0.75;
/** After speech stops the mouth keeps these shares of its last shape: at rest after 120 ms, without a snap. */
const RELEASE: readonly number[] = [0.72, 0.3, 0.06];
/** Loudness that opens the mouth as the table says, relative to the loudest of the last seconds, and the gain a dB
 *  away from it. */
const REFERENCE_BELOW_PEAK_DB = 8;
const GAIN_PER_DB = 0.028;
const MIN_LOUDNESS_GAIN = 0.6;
const MAX_LOUDNESS_GAIN = 1.2;
/** How fast the remembered peak sinks, dB a video frame: half a minute for 20 dB. */
const PEAK_DECAY_DB = 0.027;
/** Who speaks faster than usual opens less: at 1.6 times the tempo (1.2 times the changes that are heard) by a sixth.
 *  */
const TEMPO_LOSS = 0.85;
const MIN_TEMPO_GAIN = 0.75;
/** Below this share of speech a video frame counts as a pause. */
const SPOKEN = 0.5;

const JAW = FACE_PARAMETER_INDEX.jaw;
const PUCKER = FACE_PARAMETER_INDEX.pucker;
const SHUT = MOUTH_POSE_VECTORS[VISEME_INDEX.PP];
const AT_TEETH = MOUTH_POSE_VECTORS[VISEME_INDEX.FF];
const VOWELS: ReadonlySet<number> = new Set((["aa", "E", "I", "O", "U"] as const).map((vowel) => VISEME_INDEX[vowel]));

/** The mouth of one avatar session, one call a video frame. Deterministic. */
export class MouthShaper {
  readonly #size: number;
  readonly #target = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #shape = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #released = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #rate = new SpeakingRate();
  readonly #restraint = new JawRestraint();
  #releaseStep = 0;
  #peakDb = -30;
  /** Strength of the closure that the last frame was drawn with; the lips part in two frames. */
  #drawnClosure = 0;
  #closed = 0;

  /** `expressiveness`: size of mouth movements, 0 (calm) to 1 (lively); see `movementSize`. Throws RangeError outside.
   *  */
  constructor(expressiveness = DEFAULT_EXPRESSIVENESS) {
    this.#size = movementSize(expressiveness);
  }

  /** How shut the lips of the last video frame count as, 0..1: above 0.5 they are shut, for a sound or at rest. */
  get closed(): number {
    return this.#closed;
  }

  /** The mouth for the next 40 ms of speech: float32 [21] relative to the rest pose; valid until the next call. */
  speak(heard: HeardSpeech): Float32Array {
    if (heard.speech >= SPOKEN) this.#rate.push(heard.visemes);
    else this.#rate.pause();
    this.#mixTarget(heard);
    const shape = this.#shape;
    const jaw = shape[JAW] + this.#jawStep();
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) shape[k] += LIP_SPEED * (this.#target[k] - shape[k]);
    shape[JAW] = jaw;
    const output = this.#released;
    output.set(shape);
    this.#closeLips(output, heard);
    this.#restraint.drawn(output[JAW]);
    this.#releaseStep = 0;
    return output;
  }

  /** The mouth for 40 ms without speech: eases to rest within 120 ms. Same form as `speak`. */
  rest(): Float32Array {
    const share = RELEASE[this.#releaseStep] ?? 0;
    const before = this.#releaseStep === 0 ? 1 : (RELEASE[this.#releaseStep - 1] ?? 0);
    const factor = before === 0 ? 0 : share / before;
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) this.#released[k] *= factor;
    this.#shape.set(this.#released);
    this.#releaseStep = Math.min(this.#releaseStep + 1, RELEASE.length);
    this.#drawnClosure = 0;
    this.#closed = Math.max(this.#closed, 1 - share);
    this.#rate.pause();
    this.#restraint.drawn(this.#released[JAW]);
    return this.#released;
  }

  #jawStep(): number {
    const distance = this.#target[JAW] - this.#shape[JAW];
    // A calm mouth moves half as far, and no less often.
    return this.#restraint.permits(distance / this.#size) ? JAW_SPEED * distance : 0;
  }

  #mixTarget(heard: HeardSpeech): void {
    const size = heard.speech * this.#size;
    const vowelGain = size * this.#loudnessGain(heard.levelDb) * this.#tempoGain();
    this.#target.fill(0);
    for (let viseme = 0; viseme < VISEME_COUNT; viseme++) {
      // Consonants are soft by nature: their level says nothing about how far the lips part. Nor does it about how
      // round they are.
      const jawGain = VOWELS.has(viseme) ? vowelGain : size;
      // Closures are laid over the mix afterwards; here they would only thin it out.
      const weight = viseme === VISEME_INDEX.PP ? 0.15 * heard.visemes[viseme] : heard.visemes[viseme];
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

  /** Brings lips to each other or to the teeth, over whatever else they do. They shut within one video frame, because
   *  a closure lasts two and must be seen, and part in two. */
  #closeLips(output: Float32Array, heard: HeardSpeech): void {
    const spoken = Math.min(1, heard.speech * 2);
    const now = smoothstep(heard.closurePeak, CLOSURE_BEGINS, CLOSURE_COMPLETE) * spoken;
    const closure = Math.max(now, RELEASING * this.#drawnClosure);
    this.#drawnClosure = now;
    const rounding = output[PUCKER];
    pull(output, AT_TEETH, smoothstep(heard.visemes[VISEME_INDEX.FF], BITE_BEGINS, BITE_COMPLETE) * spoken);
    pull(output, SHUT, closure);
    output[PUCKER] += ROUNDING_KEPT * (rounding - output[PUCKER]);
    const rest = heard.visemes[VISEME_INDEX.sil] + heard.visemes[VISEME_INDEX.PP];
    const shutForSound = smoothstep(heard.closureMean, SHUT_BEGINS, SHUT_COMPLETE) * spoken;
    this.#closed = Math.min(1, Math.max(shutForSound, rest, 1 - heard.speech));
  }
}

/** Moves a mouth the share `strength` (0..1) of the way to a pose. */
function pull(mouth: Float32Array, pose: Float32Array, strength: number): void {
  for (let k = 0; k < mouth.length; k++) mouth[k] += strength * (pose[k] - mouth[k]);
}
