// The axes on a real voice: each moves what it says, and only that.
import t from "tap";
import { joinSamples } from "../../../../../src/signal/audio/join-samples.ts";
import { EspeakVoice } from "../../../../../src/speech/voice/espeak-voice.ts";
import { measureVoicePitch } from "../../../../../src/speech/voice/measuring/voice-pitch.ts";
import { formantShift, voiceSpectrum } from "../../../../../src/speech/voice/measuring/voice-spectrum.ts";
import { shapePieces } from "../../../../../src/speech/voice/shaping/shape-pieces.ts";
import { NEUTRAL_AXES, shapeOf, type VoiceAxes } from "../../../../../src/speech/voice/shaping/voice-axes.ts";
import type { SpokenPiece } from "../../../../../src/speech/voice/voice.ts";

const TEXT = "The weather was fine this morning, so we went down to the river and had a long walk.";
const POSITIONS = [-0.5, -0.2, 0.2, 0.5];
/** Of the measurement, octaves. */
const MOST_PITCH_ERROR = 0.06;
/** The most is that of F1 with the highest `gender`: 2.2 to 2.6 dB, because its breath is random. */
const MOST_LEVEL_CHANGE_DB = 3.5;

async function collect(pieces: AsyncIterable<SpokenPiece>): Promise<SpokenPiece[]> {
  const all: SpokenPiece[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

async function* inPieces(samples: Int16Array, sampleRateHz: number, size: number): AsyncGenerator<SpokenPiece> {
  for (let at = 0; at < samples.length; at += size) {
    yield { sampleRateHz, samples: samples.subarray(at, at + size), endsSentence: at + size >= samples.length };
  }
}

const levelDb = (samples: Int16Array) =>
  10 * Math.log10(samples.reduce((sum, value) => sum + value * value, 1) / samples.length);

/** Centre of a spectrum, bins. */
function centroidOf(spectrum: Float64Array): number {
  const total = spectrum.reduce((sum, power) => sum + power, 0);
  return spectrum.reduce((sum, power, bin) => sum + power * bin, 0) / total;
}

t.test("each axis moves what it says, and the times stay", { timeout: 60_000 }, async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  for (const voiceId of ["M1", "F1"]) {
    const spoken = await collect(voice.synthesize(TEXT, { voiceId, speed: 1 }));
    const { sampleRateHz } = spoken[0];
    const plain = joinSamples(spoken.map(({ samples }) => samples));
    const measure = async (axes: Partial<VoiceAxes>) => {
      const shape = shapeOf({ ...NEUTRAL_AXES, ...axes });
      const pieces = await collect(shapePieces(inPieces(plain, sampleRateHz, 11_025), shape));
      const samples = joinSamples(pieces.map(({ samples }) => samples));
      t.equal(samples.length, plain.length, "as many samples");
      const levelChangeDb = levelDb(samples) - levelDb(plain);
      // More or less high frequencies are more or less sound.
      t.ok(
        axes.brightness || Math.abs(levelChangeDb) < MOST_LEVEL_CHANGE_DB,
        `as loud: ${levelChangeDb.toFixed(1)} dB`,
      );
      t.equal(pieces.at(-1)?.endsSentence, true);
      return {
        pitchHz: measureVoicePitch(samples, sampleRateHz)?.medianHz ?? 0,
        spectrum: voiceSpectrum(samples, sampleRateHz) ?? new Float64Array(),
      };
    };
    const own = await measure({});
    for (const axis of ["pitch", "gender"] as const) {
      for (const position of POSITIONS) {
        const { pitchHz } = await measure({ [axis]: position });
        const octaves = Math.log2(pitchHz / own.pitchHz);
        t.ok(Math.abs(octaves - position) < MOST_PITCH_ERROR, `${voiceId} ${axis} ${position}: ${octaves.toFixed(3)}`);
      }
    }
    const [low, high, lower] = [
      await measure({ gender: -0.5 }),
      await measure({ gender: 0.5 }),
      await measure({ pitch: -0.5 }),
    ];
    t.ok(formantShift(high.spectrum, own.spectrum) > 0.1, "a shorter vocal tract");
    t.ok(formantShift(low.spectrum, own.spectrum) < -0.1, "a longer one");
    t.ok(Math.abs(formantShift(lower.spectrum, own.spectrum)) < 0.1, "the pitch alone leaves the formants");
    const centroids: number[] = [];
    for (const brightness of POSITIONS) centroids.push(centroidOf((await measure({ brightness })).spectrum));
    t.same(
      centroids,
      [...centroids].sort((left, right) => left - right),
      `${voiceId} brightness: ${centroids.map(Math.round)}`,
    );
  }
});

t.test("pieces of any size give the same sound", async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  const spoken = await collect(voice.synthesize("Shall we begin?", { voiceId: "M3" }));
  const plain = joinSamples(spoken.map(({ samples }) => samples));
  const shape = shapeOf({ ...NEUTRAL_AXES, gender: 0.2, brightness: 0.2 });
  const shaped = async (size: number) =>
    joinSamples((await collect(shapePieces(inPieces(plain, 22_050, size), shape))).map(({ samples }) => samples));
  const whole = Buffer.from((await shaped(plain.length)).buffer);
  for (const size of [100, 3_001]) t.ok(whole.equals(Buffer.from((await shaped(size)).buffer)), `pieces of ${size}`);
  const silence = new Int16Array(30_000);
  const pieces = await collect(shapePieces(inPieces(silence, 24_000, 12_000), shape));
  t.same([pieces.length, pieces.reduce((sum, { samples }) => sum + samples.length, 0)], [3, silence.length]);
  t.ok(
    pieces.every(({ samples }) => samples.every((sample) => sample === 0)),
    "silence stays silence",
  );
  const [none] = await collect(shapePieces(inPieces(new Int16Array(1), 24_000, 1), shape));
  t.equal(none.samples.length, 1);
});
