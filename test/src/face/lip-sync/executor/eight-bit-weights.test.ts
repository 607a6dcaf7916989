// The weights of lip sync for browsers: made from the ONNX file, a third of its size, and hardly another mouth.
import { deflateRawSync } from "node:zlib";
import t from "tap";
import {
  readEightBitWeights,
  writeEightBitWeights,
} from "../../../../../src/face/lip-sync/executor/eight-bit-weights.ts";
import { fromHalves } from "../../../../../src/face/lip-sync/executor/half-floats.ts";
import { type LipSyncWeights, readLipSyncGraph } from "../../../../../src/face/lip-sync/executor/lip-sync-graph.ts";
import { loadLipSyncModel } from "../../../../../src/face/lip-sync/lip-sync-model.ts";
import type { LipSyncNetwork } from "../../../../../src/face/lip-sync/lip-sync-network.ts";
import { loadLipSyncNetwork } from "../../../../../src/face/lip-sync/load-lip-sync-network.ts";
import type { InferenceRuntime } from "../../../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../../../src/signal/inference/node-runtime.ts";
import { hopsOf } from "../../../../helpers/faces/compare-lip-sync.ts";
import { speakSentences, toSpeechAudio } from "../../../../helpers/speech/spoken.ts";

/** Source: what a page may load before a face speaks. */
const SIZE_LIMIT_BYTES = 1_400_000;
/** Error of the weights: rounding leaves −36 to −40 dB. */
const LARGEST_ERROR_DB = -33;
/** Mean difference of a closure's probability; measured: 0.0022. */
const CLOSURE_TOLERANCE = 0.005;

/** A machine with WebAssembly and nothing else. */
const runtime: InferenceRuntime = {
  ...createNodeRuntime(),
  createSession: () => Promise.reject(new Error("no ONNX Runtime here")),
};
const file = new Uint8Array(await loadLipSyncModel(8));
const [sentence] = await speakSentences(["My brother made five more jars of plum jam, and Papa bought a map."], ["F2"]);
const speech = hopsOf(toSpeechAudio(sentence));

t.test("the file is small, and holds the weights of the ONNX file", async (t) => {
  t.ok(file.length <= SIZE_LIMIT_BYTES, `${file.length} bytes`);
  const model = await readLipSyncGraph(await loadLipSyncModel(16));
  if (typeof model === "string") return t.fail(model);
  const read = await readEightBitWeights(file);
  t.same({ ...read, lift: 0, layers: 0, answer: 0 }, { ...model, lift: 0, layers: 0, answer: 0 });
  t.same(
    read.layers.map(({ norm }) => norm),
    model.layers.map(({ norm }) => norm),
    "all but the matrices is exact",
  );
  const matrices = ({ lift, layers, answer }: LipSyncWeights) => [lift, ...layers.map(({ mix }) => mix), answer];
  for (const [k, matrix] of matrices(read).entries()) {
    const noiseDb = errorDb(fromHalves(matrix.halves), fromHalves(matrices(model)[k].halves));
    t.ok(noiseDb < LARGEST_ERROR_DB, `matrix ${k}: ${noiseDb.toFixed(1)} dB`);
  }
});

t.test("what is written is read again, and its size is exact", async (t) => {
  const weights = await readEightBitWeights(file);
  t.same(await readEightBitWeights(writeEightBitWeights(weights, deflateRawSync)), weights);
});

t.test("the mouth is nearly that of the ONNX file, without ONNX Runtime", async (t) => {
  const [small, whole] = [file, await loadLipSyncModel(16)].map((model) => loadLipSyncNetwork(runtime, model));
  const [seen, expected] = [await answersOf(await small), await answersOf(await whole)];
  let difference = 0;
  let agreeing = 0;
  for (const [k, { closures, visemes }] of seen.entries()) {
    difference += Math.abs(closures[0] - expected[k].closures[0]) / seen.length;
    if (likeliest(visemes) === likeliest(expected[k].visemes)) agreeing += 1;
  }
  t.ok(difference > 0, "two networks were compared");
  t.ok(difference < CLOSURE_TOLERANCE, `closures differ by ${difference}`);
  t.ok(agreeing >= 0.97 * seen.length, `the likeliest viseme is the same in ${agreeing} of ${seen.length} hops`);
});

t.test("a damaged file is refused in words", async (t) => {
  const damage: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    "cut off": (bytes) => bytes.subarray(0, bytes.length - 100),
    "a size that would fill the memory": (bytes) => bytes.with(7, 0x7f),
    "too small a size": (bytes) => bytes.with(4, bytes[4] ^ 1),
    "nothing but its name": (bytes) => bytes.subarray(0, 4),
    "bytes that do not unpack": (bytes) => bytes.with(8, 0xff),
  };
  for (const [name, spoil] of Object.entries(damage)) {
    await t.rejects(readEightBitWeights(spoil(file)), /damaged/, name);
    await t.rejects(loadLipSyncNetwork(runtime, spoil(file)), /8-bit lip-sync weights cannot be used/, name);
  }
});

async function answersOf(network: LipSyncNetwork): Promise<{ visemes: Float32Array; closures: Float32Array }[]> {
  const answers = [];
  for (const hop of speech) {
    const { visemes, closures } = await network.run(hop);
    answers.push({ visemes: visemes.slice(), closures: closures.slice() });
  }
  await network.close();
  return answers;
}

function likeliest(visemes: Float32Array): number {
  const first = [...visemes.subarray(0, visemes.length / 2)];
  return first.indexOf(Math.max(...first));
}

/** Power of the difference by that of the values, dB. */
function errorDb(values: Float32Array, expected: Float32Array): number {
  let [error, power] = [0, 0];
  for (const [k, value] of expected.entries()) {
    error += (values[k] - value) ** 2;
    power += value ** 2;
  }
  return 10 * Math.log10(error / power);
}
