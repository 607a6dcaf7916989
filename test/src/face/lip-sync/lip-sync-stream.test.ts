import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { HOP_MS, LIP_SYNC_HOP_SAMPLES } from "../../../../shared/units.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { LipSyncStream, type SpeechFeatures } from "../../../../src/face/lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import { MouthShaper } from "../../../../src/face/lip-sync/mouth-shaper.ts";
import { LOOK_AHEAD_HOPS } from "../../../../src/face/lip-sync/viseme-decoder.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { VISEME_COUNT } from "../../../../src/speech/visemes/visemes.ts";
import { BILABIAL_SENTENCES, closureTimesMs, speakSentences, toSpeechAudio } from "../../../helpers/speech/spoken.ts";

const JAW = FACE_PARAMETER_INDEX.jaw;
const UPPER_LIP = FACE_PARAMETER_INDEX.rollU;

const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
t.teardown(() => network.close());
const spoken = await speakSentences(BILABIAL_SENTENCES, ["M1", "F2"]);

async function lipSync(audio: Float32Array): Promise<SpeechFeatures[]> {
  const stream = new LipSyncStream(network);
  stream.reset();
  const frames: SpeechFeatures[] = [];
  for (let i = 0; i < audio.length; i += LIP_SYNC_HOP_SAMPLES) {
    const hop = new Float32Array(LIP_SYNC_HOP_SAMPLES);
    hop.set(audio.subarray(i, i + LIP_SYNC_HOP_SAMPLES));
    const frame = await stream.push(hop);
    if (frame) frames.push(frame);
  }
  return [...frames, ...(await stream.flush())];
}

interface Mouth {
  closed: number[];
  jaw: number[];
  /** How far the upper lip rolls in; for nothing but P, B and M. */
  upperLip: number[];
}

function shape(frames: SpeechFeatures[]): Mouth {
  const shaper = new MouthShaper();
  const mouth: Mouth = { closed: [], jaw: [], upperLip: [] };
  for (const frame of frames) {
    const parameters = shaper.speak(frame);
    mouth.jaw.push(parameters[JAW]);
    mouth.upperLip.push(parameters[UPPER_LIP]);
    mouth.closed.push(shaper.closed);
  }
  return mouth;
}

t.test(
  "audio of any length gives one video frame per 40 ms, rounded up, with posteriors that sum to one",
  async (t) => {
    for (const samples of [1, 640, 641, 2000, 12_800]) {
      const frames = await lipSync(new Float32Array(samples));
      t.equal(frames.length, Math.ceil(samples / LIP_SYNC_HOP_SAMPLES), `${samples} samples`);
      for (const { visemes } of frames) {
        t.equal(visemes.length, VISEME_COUNT);
        t.ok(Math.abs(visemes.reduce((sum, value) => sum + value, 0) - 1) < 1e-4);
      }
    }
  },
);

t.test("a video frame depends on the 80 ms of audio after its end and on nothing later", async (t) => {
  const audio = toSpeechAudio(spoken[0]).slice(0, 40 * LIP_SYNC_HOP_SAMPLES);
  const whole = await lipSync(audio);
  const cutHop = 20;
  const cut = await lipSync(audio.slice(0, cutHop * LIP_SYNC_HOP_SAMPLES));
  for (let k = 0; k < cutHop - LOOK_AHEAD_HOPS; k++) t.same(cut[k], whole[k], `frame ${k}`);
  t.notSame(cut[cutHop - 1].visemes, whole[cutHop - 1].visemes, "the last frame needs what follows");
});

t.test("reset begins a new stream, and streams of the same audio give the same output", async (t) => {
  const audio = toSpeechAudio(spoken[1]).slice(0, 30 * LIP_SYNC_HOP_SAMPLES);
  t.same(await lipSync(audio), await lipSync(audio));
});

t.test("a hop of any other length is refused", async (t) => {
  await t.rejects(async () => network.run(new Float32Array(639)), RangeError);
  await t.rejects(loadLipSyncNetwork(createNodeRuntime(), new Uint8Array(10)), "a file that is no graph");
});

t.test("lips close for at least nine of ten P, B and M within one and a half video frames", async (t) => {
  let closures = 0;
  let seen = 0;
  for (const sentence of spoken) {
    const { closed, upperLip } = shape(await lipSync(toSpeechAudio(sentence)));
    const isShut = closed.map((value, k) => value > 0.5 || upperLip[k] >= 0.36);
    for (const timeMs of closureTimesMs(sentence)) {
      closures += 1;
      if (isShut.some((value, k) => value && Math.abs((k + 0.5) * HOP_MS - timeMs) <= 1.5 * HOP_MS)) seen += 1;
    }
  }
  t.ok(closures > 50, `${closures} closures`);
  t.ok(seen / closures >= 0.9, `${seen} of ${closures} seen`);
});

t.test("the mouth opens on speech, and the jaw turns at most ten times a second", async (t) => {
  // Sentences full of bilabials close the mouth more often than ordinary speech, for which the limit is eight
  // (mouth-motion.test.ts).
  let turns = 0;
  let seconds = 0;
  for (const sentence of spoken) {
    const { jaw, closed } = shape(await lipSync(toSpeechAudio(sentence)));
    t.ok(Math.max(...jaw) > 0.3, "opens");
    t.ok(closed.filter((value) => value <= 0.5).length > closed.length * 0.4, "is open a good part of the time");
    const steps = jaw.slice(1).map((value, k) => value - jaw[k]);
    const moves = steps.filter((step) => Math.abs(step) > 0.004).map(Math.sign);
    turns += moves.slice(1).filter((move, k) => move !== moves[k]).length;
    seconds += (jaw.length * HOP_MS) / 1000;
  }
  t.ok(turns / seconds <= 10, `${(turns / seconds).toFixed(1)} turns a second`);
});

/** Four seconds of each kind of audio that is not speech, from a fixed random sequence. */
function audioThatIsNotSpeech(): Record<string, Float32Array> {
  let state = 20_261;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const noise = () => (random() + random() + random()) * 0.8;
  const make = (at: (seconds: number, index: number) => number) =>
    Float32Array.from({ length: 4 * 16_000 }, (_, i) => at(i / 16_000, i));
  const tone = (frequencyHz: number, seconds: number) => Math.sin(2 * Math.PI * frequencyHz * seconds);
  let brown = 0;
  const chords = [
    [262, 330, 392],
    [220, 262, 330],
    [175, 220, 262],
  ];
  return {
    silence: make(() => 0),
    "a constant": make(() => 0.5),
    "white noise": make(() => 0.1 * noise()),
    "loud white noise": make(() => 0.4 * noise()),
    "low noise": make(() => {
      brown = 0.97 * brown + 0.03 * noise();
      return brown;
    }),
    "mains hum": make((s) => 0.05 * tone(50, s)),
    "mains hum with overtones": make((s) =>
      [1, 2, 3, 4, 5, 6, 7].reduce((sum, h) => sum + (0.1 / h) * tone(50 * h, s), 0),
    ),
    "a 440 Hz tone": make((s) => 0.2 * tone(440, s)),
    "a clipped buzz": make((s) => Math.sign(tone(150, s))),
    "key clicks": make((_, i) => (i % 2800 < 500 ? 0.4 * noise() * Math.exp(-(i % 2800) / 60) : 0)),
    chords: make((s) =>
      chords[Math.floor(s * 2) % 3].reduce((sum, f) => sum + 0.08 * tone(f, s) * Math.exp(-2 * (s % 0.5)), 0),
    ),
  };
}

t.test("audio without speech keeps the mouth shut in at least 98 of 100 video frames", async (t) => {
  for (const [name, audio] of Object.entries(audioThatIsNotSpeech())) {
    const { closed, jaw } = shape(await lipSync(audio));
    const open = closed.filter((value, k) => value <= 0.5 || jaw[k] > 0.05).length;
    t.ok(open <= closed.length * 0.02, `${name}: ${open} of ${closed.length} open`);
  }
});

t.test("quiet and noisy speech still open the mouth", async (t) => {
  const audio = toSpeechAudio(spoken[0]);
  const { jaw } = shape(await lipSync(audio));
  let state = 7;
  const noisy = audio.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 0.1 * (value + 0.02 * (state / 2 ** 31 - 1));
  });
  const noisyJaw = shape(await lipSync(noisy)).jaw;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  t.ok(mean(noisyJaw) > 0.6 * mean(jaw), `${mean(noisyJaw).toFixed(3)} against ${mean(jaw).toFixed(3)}`);
});

t.test("the mouth eases to rest within 120 ms and then stays there", async (t) => {
  const shaper = new MouthShaper();
  const frames = await lipSync(toSpeechAudio(spoken[0]));
  const loudest = frames.reduce((best, frame) => (frame.visemes[10] > best.visemes[10] ? frame : best));
  for (let i = 0; i < 5; i++) shaper.speak(loudest);
  const open = shaper.speak(loudest)[JAW];
  const steps = Array.from({ length: 5 }, () => shaper.rest()[JAW]);
  t.ok(steps[0] < open && steps[0] > 0.5 * open, "does not snap");
  t.ok(steps[2] < 0.1 * open, "is nearly there after three frames");
  t.equal(steps[4], 0);
});

t.test("expressiveness scales mouth movements, and values out of range are refused", async (t) => {
  const frames = await lipSync(toSpeechAudio(spoken[0]));
  const widest = (expressiveness: number) => {
    const shaper = new MouthShaper(expressiveness);
    return Math.max(...frames.map((frame) => shaper.speak(frame)[JAW]));
  };
  t.ok(widest(0) < 0.7 * widest(0.5) && widest(0.5) < 0.85 * widest(1), "calm, conversation, lively");
  for (const value of [-0.1, 1.5, Number.NaN]) t.throws(() => new MouthShaper(value), RangeError);
});
