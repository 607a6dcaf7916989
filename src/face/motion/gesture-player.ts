// Plays the gesture tracks of the avatar, added to all other motion.
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { IS_SPEECH } from "./speech-parameters.ts";

/** Frames over which a gesture that is stopped or replaced fades out: a turned head is back in four tenths of a
 *  second. */
const FADE_TICKS = 10;
/** Share of a gesture's mouth motion that remains during speech. With less, a smile would not be visible. */
const MOUTH_WHILE_SPEAKING = 0.25;
/** What speech does with the mouth while a gesture plays. */
export interface SpokenMouth {
  /** How much speech controls the mouth, 0..1. */
  speaking: number;
  /** How far speech has shut the lips, 0..1: a gesture never parts them then. 0 in silence. */
  shut: number;
}

interface PlayingTrack {
  name: string;
  track: Float32Array;
  frame: number;
  /** Frame at which it begins to fade out. */
  fadesAtFrame: number;
  /** Counts down while the gesture fades out; null while it plays at full strength. */
  fadeTicksLeft: number | null;
  /** How often gestures had been stopped when it began. */
  beganAfterStops: number;
}

/** At most one gesture plays at full strength; a new one fades out the others. Tracks: float32 [frames × 33], added to
 *  the pose at 25 fps. */
export class GesturePlayer {
  readonly #tracks: ReadonlyMap<string, Float32Array>;
  #playing: PlayingTrack[] = [];
  #stops = 0;

  constructor(tracks: ReadonlyMap<string, Float32Array>) {
    this.#tracks = tracks;
  }

  /** The gesture that plays and does not fade out. */
  get current(): string | null {
    return this.#playing.find(({ fadeTicksLeft }) => fadeTicksLeft === null)?.name ?? null;
  }

  /** Starts a gesture with the next tick, to be faded out after `atMostMs` if it lasts longer. Returns false if no
   *  gesture has that name. */
  trigger(name: string, atMostMs = Number.POSITIVE_INFINITY): boolean {
    const track = this.#tracks.get(name);
    if (!track) return false;
    this.stop();
    this.#playing.push({
      name,
      track,
      frame: 0,
      fadesAtFrame: atMostMs / HOP_MS,
      fadeTicksLeft: null,
      beganAfterStops: this.#stops,
    });
    return true;
  }

  /** Fades out what plays. */
  stop(): void {
    this.#stops += 1;
    for (const playing of this.#playing) playing.fadeTicksLeft ??= FADE_TICKS;
  }

  /** Returns what brings the gestures back to now. Those that were triggered or stopped since begin or fade then. */
  remember(): () => void {
    const then = this.#playing.map((playing) => ({ playing, before: { ...playing } }));
    const stopsThen = this.#stops;
    return () => {
      const fadeAfter = (stops: number) => (this.#stops > stops ? FADE_TICKS : null);
      const begun = this.#playing.filter((playing) => !then.some((one) => one.playing === playing));
      for (const { playing, before } of then) {
        Object.assign(playing, before, { fadeTicksLeft: before.fadeTicksLeft ?? fadeAfter(stopsThen) });
      }
      for (const playing of begun) {
        Object.assign(playing, { frame: 0, fadeTicksLeft: fadeAfter(playing.beganAfterStops) });
      }
      this.#playing = [...then.map(({ playing }) => playing), ...begun];
    };
  }

  /** Adds the current frame of every playing gesture to `pose` (float32 [33]). */
  addTo(pose: Float32Array, { speaking, shut }: SpokenMouth): void {
    const mouth = (1 - (1 - MOUTH_WHILE_SPEAKING) * speaking) * (1 - shut);
    for (const playing of this.#playing) {
      if (playing.frame >= playing.fadesAtFrame) playing.fadeTicksLeft ??= FADE_TICKS;
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
