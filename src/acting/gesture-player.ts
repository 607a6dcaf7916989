// Plays gesture tracks of the avatar over everything else.
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";

/** Pictures over which a gesture that is cut off by another fades out. */
const FADE_TICKS = 4;

interface PlayingTrack {
  track: Float32Array;
  frame: number;
  /** Fades out while positive; null plays at full strength. */
  fadeTicksLeft: number | null;
}

/** At most one gesture at full strength; a new one fades the others. Tracks: float32 [frames × 21], added to the pose at 25 fps. */
export class GesturePlayer {
  readonly #tracks: ReadonlyMap<string, Float32Array>;
  #playing: PlayingTrack[] = [];

  constructor(tracks: ReadonlyMap<string, Float32Array>) {
    this.#tracks = tracks;
  }

  /** Starts a gesture with the next tick; false if there is none of that name. */
  trigger(name: string): boolean {
    const track = this.#tracks.get(name);
    if (!track) return false;
    for (const playing of this.#playing) playing.fadeTicksLeft ??= FADE_TICKS;
    this.#playing.push({ track, frame: 0, fadeTicksLeft: null });
    return true;
  }

  /** Adds this tick's part of every playing gesture to `pose` (float32 [21]). */
  addTo(pose: Float32Array): void {
    for (const playing of this.#playing) {
      const strength = playing.fadeTicksLeft === null ? 1 : playing.fadeTicksLeft / (FADE_TICKS + 1);
      const offset = playing.frame * FACE_PARAMETER_COUNT;
      for (let k = 0; k < FACE_PARAMETER_COUNT; k++) pose[k] += strength * playing.track[offset + k];
      playing.frame += 1;
      if (playing.fadeTicksLeft !== null) playing.fadeTicksLeft -= 1;
    }
    this.#playing = this.#playing.filter(
      (playing) => playing.frame * FACE_PARAMETER_COUNT < playing.track.length && playing.fadeTicksLeft !== 0,
    );
  }
}
