// Loudness of the reference as a room lets it linger.
import { BANDS, bandPower } from "./bands.ts";
import type { ReferenceSpectra } from "./reference-spectra.ts";

/** Rooms fade by 60 dB in 200 to 600 ms: 1 dB a block. */
const KEPT = 10 ** -0.1;
/** A band tells something about the echo while it is this loud, beside its own loud moments. */
const LOUD_SHARE = 0.1;
const SILENT = 1e-4;
const RISE = 0.05;
const FALL = 0.002;

/** The loudest frames of a span of lags, by band. */
export class SmearedReference {
  /** Power. */
  readonly power = new Float64Array(BANDS);
  /** 1 where the reference is loud now, otherwise 0. */
  readonly isLoud = new Uint8Array(BANDS);
  readonly #usual = new Float64Array(BANDS);

  /** Takes the next block; lags in blocks. */
  push(spectra: ReferenceSpectra, firstLag: number, lastLag: number): void {
    for (let band = 0; band < BANDS; band++) {
      let loudest = 0;
      for (let lag = firstLag; lag <= lastLag; lag++) {
        loudest = Math.max(loudest, bandPower(spectra.power, band, spectra.rowOf(lag)));
      }
      this.power[band] = Math.max(loudest, KEPT * this.power[band]);
      const usual = this.#usual[band];
      this.#usual[band] += (loudest > usual ? RISE : FALL) * (loudest - usual);
      this.isLoud[band] = loudest > LOUD_SHARE * this.#usual[band] && loudest > SILENT ? 1 : 0;
    }
  }
}
