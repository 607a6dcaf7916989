// Tells speech from silence, hum, tones and noise, because the network alone opens the mouth on some of them.
import { HEARING_HOP_SAMPLES } from "../../shared/units.ts";

/** Below this the mouth stays shut: quieter than any intended speech. */
const SILENCE_DB = -58;
/** From here on level alone never holds the mouth back. */
const AUDIBLE_DB = -46;

/** Level and speech share of one hop. */
export interface GatedHop {
  levelDb: number;
  speech: number;
}

/** Keeps what the last hops were like. */
export class SpeechGate {
  readonly #history: GatedHop[] = [];

  /** Takes the next hop, float32 [640]. */
  push(hop: Float32Array): void {
    let mean = 0;
    for (const sample of hop) mean += sample;
    mean /= HEARING_HOP_SAMPLES;
    let energy = 0;
    for (const sample of hop) energy += (sample - mean) ** 2;
    const levelDb = 10 * Math.log10(energy / HEARING_HOP_SAMPLES + 1e-10);
    const speech = Math.min(1, Math.max(0, (levelDb - SILENCE_DB) / (AUDIBLE_DB - SILENCE_DB)));
    this.#history.push({ levelDb, speech });
    if (this.#history.length > 8) this.#history.shift();
  }

  /** The hop that was pushed `hopsAgo` hops before the last one. Throws RangeError if it is not kept. */
  at(hopsAgo: number): GatedHop {
    const hop = this.#history.at(-1 - hopsAgo);
    if (!hop) throw new RangeError(`no hop is kept from ${hopsAgo} hops ago`);
    return hop;
  }

  reset(): void {
    this.#history.length = 0;
  }
}
