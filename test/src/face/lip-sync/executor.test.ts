// Our executor of the lip-sync network against ONNX Runtime, which is the reference.
import t from "tap";
import { LIP_SYNC_HOP_SAMPLES } from "../../../../shared/units.ts";
import { loadLipSyncProgram } from "../../../../src/face/lip-sync/executor/lip-sync-program.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import type { LipSyncNetwork } from "../../../../src/face/lip-sync/lip-sync-network.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import type { InferenceRuntime } from "../../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import { inspectModel } from "../../../../src/signal/onnx/inspect-model.ts";
import { VISEME_COUNT } from "../../../../src/speech/visemes/visemes.ts";
import { compareExecutors, hopsOf, noise } from "../../../helpers/faces/compare-lip-sync.ts";
import { speakSentences, toSpeechAudio } from "../../../helpers/speech/spoken.ts";

/** Largest difference of a posterior or a closure; measured: 0.0004. */
const TOLERANCE = 1e-3;
/** More than the network remembers: 2.5 s. */
const FORGETTING_HOPS = 70;

const runtime = createNodeRuntime();
// A plain array: `slice` of a Buffer does not copy.
const model = new Uint8Array(await loadLipSyncModel());
const spoken = await speakSentences(
  [
    "How many people would you like to invite, and where should they sit?",
    "My brother made five more jars of plum jam.",
  ],
  ["M1", "F2", "M3"],
);
const speech = hopsOf(Float32Array.from(spoken.flatMap((sentence) => [...toSpeechAudio(sentence)])));

async function withNetworks(
  count: number,
  use: (...networks: LipSyncNetwork[]) => Promise<void> | void,
  bytes: Uint8Array = model,
): Promise<void> {
  const networks = await Promise.all(Array.from({ length: count }, () => loadLipSyncNetwork(runtime, bytes)));
  try {
    await use(...networks);
  } finally {
    for (const network of networks) await network.close();
  }
}

/** A network's answer, copied. */
async function answerOf(network: LipSyncNetwork, hop: Float32Array): Promise<number[]> {
  const { visemes, closures } = await network.run(hop);
  return [...visemes, ...closures];
}

/** A copy of the model in which the bytes of one tensor are changed. A tensor without a name is found by its index
 *  among these. */
function withTensor(name: string | number, change: (raw: Uint8Array) => void): Uint8Array {
  const bytes = model.slice();
  const { tensors } = inspectModel(bytes);
  const tensor =
    typeof name === "number"
      ? tensors.filter((each) => each.name === "")[name]
      : tensors.find((each) => each.name === name);
  change(tensor!.raw);
  return bytes;
}

t.test("the network that ships runs on the executor, and streams of the same file share its weights", async (t) => {
  const program = await loadLipSyncProgram(runtime, model);
  t.ok(program, "the graph's structure is known (KNOWN_STRUCTURE in lip-sync-graph.ts)");
  t.equal(await loadLipSyncProgram(runtime, model), program);
});

t.test("answers equal those of ONNX Runtime over speech, loud and quiet, with the state carried along", async (t) => {
  const gains = [1, 0.05, 0.0005, 2];
  const difference = await compareExecutors(
    runtime,
    model,
    speech.map((hop, k) => hop.map((sample) => sample * gains[Math.floor(k / 100) % gains.length])),
  );
  t.ok(difference.hops >= 400, `${difference.hops} hops`);
  t.ok(difference.worst < TOLERANCE, `largest difference ${difference.worst}`);
  t.ok(difference.worst > 0, "two programs were compared");
});

t.test("weights, tuned constants and biases are read from the file", async (t) => {
  const doubled = (raw: Uint8Array) => {
    const values = new Float32Array(raw.slice().buffer).map((value) => 2 * value + 0.01);
    raw.set(new Uint8Array(values.buffer));
  };
  const silenced = (raw: Uint8Array) => void raw.fill(0);
  const closureOdds = inspectModel(model)
    .nodes.filter(({ operator }) => operator === "Constant")
    .findIndex(({ outputs }) => outputs[0] === "/Constant_59_output_0");
  const changed: [string | number, (raw: Uint8Array) => void][] = [
    ["network.layers.3.mix.bias", doubled],
    ["network.layers.5.norm.weight", doubled],
    ["network.layers.2.mix.weight_half", silenced],
    ["network.answer.bias", doubled],
    [closureOdds, doubled],
  ];
  const before = await compareExecutors(runtime, model, speech.slice(0, 25));
  for (const [name, change] of changed) {
    const bytes = withTensor(name, change);
    t.ok(await loadLipSyncProgram(runtime, bytes), `${name}: the executor takes it`);
    const after = await compareExecutors(runtime, bytes, speech.slice(0, 25));
    t.ok(after.worst < TOLERANCE, `${name}: ${after.worst}`);
    t.notSame(after.last, before.last, `${name} matters`);
  }
});

t.test("a graph that the executor does not know, or a machine that cannot run it, gets ONNX Runtime", async (t) => {
  const nan = (raw: Uint8Array) => raw.fill(0xff, 0, 4);
  const other = (raw: Uint8Array) => (raw[0] ^= 0x40);
  const foreign = {
    "another constant": withTensor(20, other),
    "another transform": withTensor("front.dft", (raw) => (raw[4 * 1000 + 3] ^= 0x40)),
    "filters that differ": withTensor("front.filters", (raw) => (raw[4 * 64 * 20 + 4 * 10 + 3] ^= 0x40)),
    "a weight that is not finite": withTensor("network.lift.bias", nan),
  };
  for (const [name, bytes] of Object.entries(foreign)) t.equal(await loadLipSyncProgram(runtime, bytes), null, name);
  await withNetworks(
    1,
    async (network) => {
      t.equal((await answerOf(network, speech[0])).length, 2 * VISEME_COUNT + 2);
    },
    foreign["another transform"],
  );
  const without: InferenceRuntime = { ...runtime, loadModule: () => Promise.reject(new Error("no SIMD")) };
  t.equal(await loadLipSyncProgram(without, model.slice()), null);
  for (const damaged of [new Uint8Array(10), model.slice(0, 1000)]) {
    await t.rejects(loadLipSyncNetwork(runtime, damaged), Error, "what is no graph is an error");
  }
});

t.test("streams do not influence each other, and a closed stream leaves nothing to the next", async (t) => {
  const alone: number[][] = [];
  await withNetworks(1, async (network) => {
    for (const hop of speech.slice(0, 60)) alone.push(await answerOf(network, hop));
  });
  // Enough streams that the memory grows while others run.
  await withNetworks(12, async (first, second, ...others) => {
    const random = noise(7);
    for (const [k, hop] of speech.slice(0, 60).entries()) {
      t.same(await answerOf(first, hop), alone[k]);
      await second.run(random(LIP_SYNC_HOP_SAMPLES));
      const late = await loadLipSyncNetwork(runtime, model);
      await late.run(random(LIP_SYNC_HOP_SAMPLES));
      await late.close();
    }
    for (const other of others) t.same(await answerOf(other, speech[0]), alone[0]);
    second.reset();
    t.same(await answerOf(second, speech[0]), alone[0], "reset begins a new stream");
  });
});

t.test("hostile audio leaves no trace: NaN is silence, what is too loud is limited", async (t) => {
  await withNetworks(2, async (network, twin) => {
    const hostile = new Float32Array(LIP_SYNC_HOP_SAMPLES);
    hostile.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, -3e38, 1e-45, 9]);
    const limited = new Float32Array(LIP_SYNC_HOP_SAMPLES);
    limited.set([0, 8, -8, 8, -8, 1e-45, 8]);
    const worse = new Float32Array(LIP_SYNC_HOP_SAMPLES).fill(Number.NaN);
    for (const [bad, good] of [
      [speech[0], speech[0]],
      [hostile, limited],
      [worse, new Float32Array(LIP_SYNC_HOP_SAMPLES)],
      [
        new Float32Array(LIP_SYNC_HOP_SAMPLES).fill(Number.POSITIVE_INFINITY),
        new Float32Array(LIP_SYNC_HOP_SAMPLES).fill(8),
      ],
    ]) {
      const answer = await answerOf(network, bad);
      t.same(answer, await answerOf(twin, good));
      t.ok(answer.every((value) => value >= 0 && value <= 1));
    }
  });
  const shouted = [...Array(20).keys()].map(() =>
    new Float32Array(LIP_SYNC_HOP_SAMPLES).map((_, k) => (k % 80 < 40 ? 8 : -8)),
  );
  const { worst } = await compareExecutors(runtime, model, [...shouted, ...speech.slice(0, FORGETTING_HOPS)]);
  t.ok(worst < TOLERANCE, `after the loudest input: ${worst}`);
});

t.test("a hop allocates nothing of size, and a closed network refuses hops", async (t) => {
  await withNetworks(1, async (network) => {
    const output = await network.run(speech[0]);
    const visemes = output.visemes;
    const before = process.memoryUsage().arrayBuffers;
    for (let k = 0; k < 500; k++) network.run(speech[k % speech.length]);
    t.ok(process.memoryUsage().arrayBuffers <= before);
    t.equal((await network.run(speech[1])).visemes, visemes, "the same array, valid until the next hop");
    t.throws(() => network.run(new Float32Array(639)), RangeError);
    await network.close();
    await network.close();
    t.throws(() => network.run(speech[0]), /closed/);
  });
});
