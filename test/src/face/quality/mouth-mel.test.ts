import t from "tap";
import { MEL_BANDS, MEL_FRAMES, MEL_WINDOW_SAMPLES, MouthMel } from "../../../../src/face/quality/mouth-mel.ts";

function features(samples: Float32Array): Float32Array {
  const into = new Float32Array(MEL_BANDS * MEL_FRAMES);
  new MouthMel().compute(samples, into);
  return into;
}

function tone(hz: number, amplitude: number, length = MEL_WINDOW_SAMPLES + 1): Float32Array {
  return Float32Array.from({ length }, (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / 16_000));
}

t.test(
  "silence gives the lowest value, a tone is loudest in its own band, and ten times the amplitude adds 20 dB",
  async (t) => {
    t.ok(features(new Float32Array(MEL_WINDOW_SAMPLES + 1)).every((value) => value === -4));
    const centres: number[] = [];
    for (const hz of [200, 1000, 3000, 6000]) {
      const mel = features(tone(hz, 0.05));
      const column = Array.from({ length: MEL_BANDS }, (_, band) => mel[band * MEL_FRAMES + 8]);
      centres.push(column.indexOf(Math.max(...column)));
    }
    // Slaney's scale between 55 and 7,600 Hz puts these tones into these bands.
    const expected = [200, 1000, 3000, 6000].map((hz) => {
      const mel = (f: number) => (f < 1000 ? (3 * f) / 200 : 15 + (27 * Math.log(f / 1000)) / Math.log(6.4));
      return Math.round(((mel(hz) - mel(55)) / (mel(7600) - mel(55))) * 81 - 1);
    });
    centres.forEach((centre, i) => {
      t.ok(Math.abs(centre - expected[i]) <= 1, `band ${centre}, expected ${expected[i]}`);
    });
    const [quiet, loud] = [features(tone(1000, 0.002)), features(tone(1000, 0.02))];
    const at = expected[1] * MEL_FRAMES + 8;
    t.ok(Math.abs(loud[at] - quiet[at] - 1.6) < 0.01, `20 dB are 1.6, found ${loud[at] - quiet[at]}`);
  },
);

t.test("windows beyond the end of the audio repeat the last complete window", async (t) => {
  const whole = features(tone(700, 0.1));
  const cut = features(tone(700, 0.1, 2961));
  for (let band = 0; band < MEL_BANDS; band += 7) {
    t.ok(Math.abs(whole[band * MEL_FRAMES + 10] - cut[band * MEL_FRAMES + 10]) < 1e-5, "what is known is the same");
    t.equal(cut[band * MEL_FRAMES + 15], cut[band * MEL_FRAMES + 10]);
  }
  t.throws(() => features(new Float32Array(800)), RangeError);
});
