// The recogniser's front end, against values of an independent implementation
// (lab/training/lip-sync/whisper_model.py).
import t from "tap";
import { logMel, MELS } from "../../../../src/speech/recognition/log-mel.ts";

const FRAMES = 3000;
/** [mel, frame, value] of a second of sin(i² / 20,000) / 10 in a window of thirty. */
const KNOWN: readonly (readonly [number, number, number])[] = [
  [0, 0, 0.2218],
  [5, 0, -0.4382],
  [10, 20, -0.644],
  [20, 40, -0.913],
  [40, 50, -0.5748],
  [60, 70, -0.913],
  [79, 99, -0.6908],
  [79, 10, -0.913],
  [30, 100, 0.0248],
  [0, 101, -0.5104],
  [40, 2999, -0.913],
];

t.test("a rising tone has the known spectrum", async (t) => {
  const samples = Float32Array.from({ length: 16_000 }, (_, i) => Math.sin((i * i) / 20_000) / 10);
  const spectrum = logMel(samples, FRAMES);
  t.equal(spectrum.length, MELS * FRAMES);
  for (const [mel, frame, value] of KNOWN) {
    t.ok(Math.abs(spectrum[mel * FRAMES + frame] - value) < 2e-4, `mel ${mel}, frame ${frame}`);
  }
  const loudest = spectrum.reduce((largest, value) => Math.max(largest, value));
  t.ok(Math.abs(loudest - 1.087) < 2e-4);
  const cut = logMel(samples, 500);
  t.same(cut.slice(0, 500), spectrum.slice(0, 500), "a shorter window shows the same");
});

t.test("silence has an even spectrum, and audio longer than the window is cut off", async (t) => {
  t.ok(logMel(new Float32Array(1600), 100).every((value) => value === -1.5));
  const loud = Float32Array.from({ length: 32_000 }, (_, i) => (i < 17_000 ? 0 : Math.sin(i)));
  t.ok(logMel(loud, 100).every((value) => value === -1.5));
});
