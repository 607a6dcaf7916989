// Mixes the avatar's voice and the person's into the audio of a film.
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import type { HeardAudio } from "./avatar-listener.ts";

const RATE_HZ = 16_000;
/** Blocks of the person that may wait for one of the avatar: both come a hundred times a second. */
const MAX_WAITING = 10;

/** Both come in blocks of the same length, mono at 16 kHz; the avatar's stream never pauses and gives the time. */
export class MixedAudio {
  readonly #resampler = new Resampler(RATE_HZ, PLAYOUT_SAMPLE_RATE_HZ);
  readonly #spoken: Int16Array[] = [];
  readonly #onAudio: (audio: HeardAudio) => void;

  /** `onAudio` gets the mix at 48 kHz. */
  constructor(onAudio: (audio: HeardAudio) => void) {
    this.#onAudio = onAudio;
  }

  addSpoken(samples: Int16Array): void {
    this.#spoken.push(samples);
    if (this.#spoken.length > MAX_WAITING) this.#spoken.shift();
  }

  addHeard({ samples, atMs }: HeardAudio): void {
    const spoken = this.#spoken.shift();
    const mixed = toFloatSamples(samples).map((value, at) => value + (spoken?.[at] ?? 0) / 32_768);
    this.#onAudio({ samples: toInt16Samples(this.#resampler.push(mixed)), atMs });
  }
}
