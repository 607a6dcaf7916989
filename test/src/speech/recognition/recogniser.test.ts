// The recogniser with its real network.
import { readFileSync } from "node:fs";
import t from "tap";
import { readWav } from "../../../../src/signal/audio/wav.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { inspectModel } from "../../../../src/signal/onnx/inspect-model.ts";
import { MAX_RECOGNITION_S, Recogniser } from "../../../../src/speech/recognition/recogniser.ts";

const RATE_HZ = 16_000;
/** Products of unsigned bytes with a pair of weights fit 16 bits up to this sum. */
const LARGEST_PAIR = 128;
const WEATHER = "The weather will stay warm and sunny for several days.";
const TRAIN = "¿A qué hora sale el próximo tren para Sevilla?";
const weather = spoken("weather-en");
const train = spoken("train-es");

const recogniser = await Recogniser.load(createNodeRuntime());
t.teardown(() => recogniser.release());

function spoken(name: string): Int16Array {
  return readWav(readFileSync(new URL(`../../../fixtures/speech/${name}.wav`, import.meta.url))).samples;
}

/** `level`: ±1 at a time in seconds. */
function sound(seconds: number, level: (time: number) => number): Int16Array {
  return Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => Math.round(32767 * level(i / RATE_HZ)));
}

/** Numbers from −1 to 1, always the same. */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

t.test("a spoken sentence is written, in the language that is expected or plainly spoken", async (t) => {
  const english = await recogniser.recognise(weather, { language: "en-GB" });
  t.equal(english.text, WEATHER);
  t.equal(english.language, "en");
  t.ok(english.noSpeech < 0.1, "there is speech");
  t.ok(english.meanLogProbability > -0.3, "and is understood well");
  for (const language of [undefined, "en"]) {
    const spanish = await recogniser.recognise(train, { language });
    t.same([spanish.text, spanish.language], [TRAIN, "es"], `expected: ${language}`);
  }
});

t.test("silence, noise and sounds that are no speech give no text", async (t) => {
  const random = noise();
  const sounds = {
    nothing: new Int16Array(0),
    "a click": new Int16Array(100).fill(9000),
    silence: new Int16Array(2 * RATE_HZ),
    "a faint hiss": sound(2, () => 0.0005 * random()),
    "a hiss": sound(2, () => 0.05 * random()),
    breath: sound(1.5, (time) => 0.03 * Math.sin((Math.PI * time) / 1.5) * random()),
    knocks: sound(2, (time) => 0.5 * Math.exp(-60 * (time % 0.5)) * random()),
  };
  for (const [name, samples] of Object.entries(sounds)) {
    t.equal((await recogniser.recognise(samples, { language: "en" })).text, "", name);
  }
});

t.test("what is understood well is kept, although the network is not sure that there was speech", async (t) => {
  // Words from the middle of a sentence, and half a second of silence: mean log probability −0.4.
  const words = train.subarray(14_507, 28_723);
  const samples = new Int16Array(words.length + RATE_HZ / 2);
  samples.set(words);
  const { text, noSpeech } = await recogniser.recognise(samples, { language: "es" });
  t.ok(noSpeech > 0.6, String(noSpeech));
  t.match(text, /próximo tren/);
});

t.test("audio longer than a window is cut at a pause, and audio without end is refused", async (t) => {
  const long = new Int16Array(31 * RATE_HZ);
  long.set(weather);
  long.set(weather, 25 * RATE_HZ);
  // Whether the first letter is a capital one is nearly a tie.
  const { text } = await recogniser.recognise(long, { language: "en" });
  t.equal(text.toLowerCase(), `${WEATHER} ${WEATHER}`.toLowerCase());
  const endless = new Int16Array(MAX_RECOGNITION_S * RATE_HZ + 1);
  await t.rejects(recogniser.recognise(endless), { code: "too-large" });
});

t.test("a recognition that is not wanted any more stops, and the next one is not disturbed", async (t) => {
  const reason = new Error("the person goes on");
  await t.rejects(recogniser.recognise(weather, { signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const dropped = recogniser.recognise(weather, { signal: controller.signal });
  controller.abort(reason);
  await t.rejects(dropped, reason);
  t.equal((await recogniser.recognise(weather, { language: "en" })).text, WEATHER);
});

t.test("no processor saturates: neighbouring weights of every product sum to 128 at most", async (t) => {
  for (const name of ["encoder", "decoder"]) {
    const file = readFileSync(new URL(`../../../../models/recognition/${name}.onnx`, import.meta.url));
    const { tensors, nodes } = inspectModel(file);
    const products = nodes.filter(({ operator }) => operator === "MatMulInteger");
    t.ok(products.length > 30, `${name} is made of 8-bit products`);
    for (const { inputs } of products) {
      const { raw, dims } = tensors.find((tensor) => tensor.name === inputs[1])!;
      t.ok(largestPair(raw, dims[1]) <= LARGEST_PAIR, `${name}: ${inputs[1]}`);
    }
  }
});

/** Largest sum of weights, one sign, in rows 2 i and 2 i + 1 of a column. `raw`: int8 [rows, columns]. */
function largestPair(raw: Uint8Array, columns: number): number {
  const weights = new Int8Array(raw.buffer, raw.byteOffset, raw.byteLength);
  let largest = 0;
  for (let row = 0; row < weights.length; row += 2 * columns) {
    for (let at = row; at < row + columns; at++) {
      const left = weights[at];
      const right = weights[at + columns];
      const above = (left > 0 ? left : 0) + (right > 0 ? right : 0);
      const below = -(left < 0 ? left : 0) - (right < 0 ? right : 0);
      if (above > largest) largest = above;
      if (below > largest) largest = below;
    }
  }
  return largest;
}
