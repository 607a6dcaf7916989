// The avatar's own audio back in the person's microphone, as a loudspeaker in a room sends it.
import { type HeardBlock, PERSON_RATE_HZ as RATE_HZ } from "../../../cli/conversation/scripted-person.ts";
import { randomFrom } from "./non-words.ts";

export interface RoomEchoOptions {
  /** Level of the echo beside what is heard, dB. */
  levelDb: number;
  /** From hearing to the microphone, ms. */
  delayMs: number;
}

/** Time after which a reflection is 60 dB weaker, s: a furnished room. */
const DECAY_S = 0.35;
const REFLECTIONS = 60;
const RESPONSE_S = 0.25;
/** Audio arrives in bursts: the place in it may drift this far before it is set again, ms. */
const DRIFT_MS = 80;

/** Adds the echo to what the microphone sends; for `ScriptedPerson`. */
export class RoomEcho {
  readonly #delaySamples: number;
  readonly #taps: readonly { at: number; gain: number }[];
  #heard = new Int16Array(RATE_HZ * 60);
  #length = 0;
  #blocks = 0;
  #place: number | undefined;

  constructor({ levelDb, delayMs }: RoomEchoOptions) {
    this.#delaySamples = Math.round((delayMs * RATE_HZ) / 1000);
    this.#taps = roomResponse(10 ** (levelDb / 20));
  }

  /** `own`: a block of the person. `heard`: everything that has arrived. */
  readonly mix = (own: Int16Array, heard: readonly HeardBlock[]): Int16Array => {
    for (; this.#blocks < heard.length; this.#blocks++) this.#keep(heard[this.#blocks].samples);
    const wanted = this.#length - this.#delaySamples;
    if (this.#place === undefined || Math.abs(this.#place - wanted) > (DRIFT_MS * RATE_HZ) / 1000) this.#place = wanted;
    const mixed = Int16Array.from(own, (value, at) => clamp(value + this.#echoAt(this.#place! + at)));
    this.#place += own.length;
    return mixed;
  };

  #echoAt(place: number): number {
    let sum = 0;
    for (const { at, gain } of this.#taps) {
      const from = place - at;
      if (from >= 0 && from < this.#length) sum += gain * this.#heard[from];
    }
    return sum;
  }

  #keep(samples: Int16Array): void {
    if (this.#length + samples.length > this.#heard.length) {
      const longer = new Int16Array(this.#heard.length * 2);
      longer.set(this.#heard);
      this.#heard = longer;
    }
    this.#heard.set(samples, this.#length);
    this.#length += samples.length;
  }
}

/** The direct sound and reflections that come denser and weaker; together they have the energy of `gain` squared. */
function roomResponse(gain: number): { at: number; gain: number }[] {
  const random = randomFrom(7);
  const taps = [{ at: 0, gain: 1 }];
  for (let index = 0; index < REFLECTIONS; index++) {
    const seconds = RESPONSE_S * random() ** 1.5 + 0.004;
    const strength = 10 ** ((-3 * seconds) / DECAY_S) * 0.6;
    taps.push({ at: Math.round(seconds * RATE_HZ), gain: random() < 0.5 ? -strength : strength });
  }
  const energy = Math.sqrt(taps.reduce((sum, tap) => sum + tap.gain ** 2, 0));
  return taps.map((tap) => ({ at: tap.at, gain: (tap.gain * gain) / energy }));
}

function clamp(value: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(value)));
}
