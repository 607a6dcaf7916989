// Plays the gesture tracks of the avatar, added to all other motion.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX, type FaceParameterName } from "../../shared/face-parameters.ts";
import { smoothstep } from "../math/smoothstep.ts";

/** Frames over which a gesture that is replaced by another fades out. */
const FADE_TICKS = 6;
/** Share of a gesture's mouth motion that remains during speech. With less, a smile would not be visible. */
const MOUTH_WHILE_SPEAKING = 0.25;
/** Mouth parameters that speech controls. A smile is not among them, because it can be shown during speech. */
const SPEECH_PARAMETERS: readonly FaceParameterName[] = [
  "close",
  "jaw",
  "funnel",
  "pucker",
  "wide",
  "upraise",
  "lowdep",
  "rollU",
  "rollL",
  "tongue",
];
const IS_SPEECH = new Uint8Array(FACE_PARAMETER_COUNT);
for (const name of SPEECH_PARAMETERS) IS_SPEECH[FACE_PARAMETER_INDEX[name]] = 1;

interface PlayingTrack {
  track: Float32Array;
  frame: number;
  /** Counts down while the gesture fades out; null while it plays at full strength. */
  fadeTicksLeft: number | null;
}

/** At most one gesture plays at full strength; a new one fades out the others. Tracks: float32 [frames × 21], added to
 *  the pose at 25 fps. */
export class GesturePlayer {
  readonly #tracks: ReadonlyMap<string, Float32Array>;
  #playing: PlayingTrack[] = [];

  constructor(tracks: ReadonlyMap<string, Float32Array>) {
    this.#tracks = tracks;
  }

  /** Starts a gesture with the next tick. Returns false if no gesture has that name. */
  trigger(name: string): boolean {
    const track = this.#tracks.get(name);
    if (!track) return false;
    for (const playing of this.#playing) playing.fadeTicksLeft ??= FADE_TICKS;
    this.#playing.push({ track, frame: 0, fadeTicksLeft: null });
    return true;
  }

  /** Adds the current frame of every playing gesture to `pose` (float32 [21]). `speaking` 0..1: how much speech
   *  controls the mouth. */
  addTo(pose: Float32Array, speaking: number): void {
    const mouth = 1 - (1 - MOUTH_WHILE_SPEAKING) * speaking;
    for (const playing of this.#playing) {
      const strength = playing.fadeTicksLeft === null ? 1 : smoothstep(playing.fadeTicksLeft / (FADE_TICKS + 1));
      const offset = playing.frame * FACE_PARAMETER_COUNT;
      for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
        pose[k] += strength * (IS_SPEECH[k] ? mouth : 1) * playing.track[offset + k];
      }
      playing.frame += 1;
      if (playing.fadeTicksLeft !== null) playing.fadeTicksLeft -= 1;
    }
    if (this.#playing.some(isOver)) this.#playing = this.#playing.filter((playing) => !isOver(playing));
  }
}

function isOver({ frame, track, fadeTicksLeft }: PlayingTrack): boolean {
  return frame * FACE_PARAMETER_COUNT >= track.length || fadeTicksLeft === 0;
}
