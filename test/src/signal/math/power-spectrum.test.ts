// Power spectra beside the definition of the transform.
import t from "tap";
import { PowerSpectrum } from "../../../../src/signal/math/power-spectrum.ts";

t.test("a power spectrum is the sum over the samples that defines it", async (t) => {
  for (const length of [12, 20, 30, 50, 400, 800]) {
    const samples = Float64Array.from({ length }, (_, i) => Math.sin(i * i) + 0.3);
    const powers = new Float64Array(length / 2 + 1);
    new PowerSpectrum(length).transform(samples, powers);
    for (let k = 0; k < powers.length; k++) {
      const angle = (2 * Math.PI * k) / length;
      const real = samples.reduce((sum, sample, i) => sum + sample * Math.cos(angle * i), 0);
      const imaginary = samples.reduce((sum, sample, i) => sum - sample * Math.sin(angle * i), 0);
      t.ok(Math.abs(powers[k] - real ** 2 - imaginary ** 2) < 1e-6 * length ** 2, `bin ${k} of ${length}`);
    }
  }
  for (const length of [7, 14, 26]) t.throws(() => new PowerSpectrum(length), RangeError);
});
