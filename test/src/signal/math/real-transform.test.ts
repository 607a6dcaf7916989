// The transform and its inverse beside the definition.
import t from "tap";
import { createSeededRandom } from "../../../../lab/soak/seeded-random.ts";
import { createSpectrum, RealTransform } from "../../../../src/signal/math/real-transform.ts";

t.test("the transform is that of the definition, and its inverse gives the samples back", async (t) => {
  const { next } = createSeededRandom(1);
  for (const length of [2, 4, 6, 16, 30, 32, 256, 320, 512, 640]) {
    const samples = Float64Array.from({ length }, () => 2 * next() - 1);
    const transform = new RealTransform(length);
    const spectrum = createSpectrum(length);
    transform.forward(samples, spectrum);
    let worst = 0;
    for (let k = 0; k <= length / 2; k++) {
      let real = 0;
      let imaginary = 0;
      for (let n = 0; n < length; n++) {
        real += samples[n] * Math.cos((2 * Math.PI * k * n) / length);
        imaginary -= samples[n] * Math.sin((2 * Math.PI * k * n) / length);
      }
      worst = Math.max(worst, Math.hypot(real - spectrum.real[k], imaginary - spectrum.imaginary[k]));
    }
    const back = new Float64Array(length);
    transform.inverse(spectrum, back);
    for (let n = 0; n < length; n++) worst = Math.max(worst, Math.abs(back[n] - samples[n]));
    t.ok(worst < 1e-10, `${length}: ${worst}`);
  }
});

t.test("lengths with other factors are refused", async (t) => {
  t.throws(() => new RealTransform(14), RangeError);
  t.throws(() => new RealTransform(15), RangeError);
});
