import t from "tap";
import { shapeMouth } from "../../../../cli/commands/hear/shape-mouth.ts";
import { countMotion, motionMetrics } from "../../../../lab/bench/lip-sync/mouth-motion.ts";
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { loadLipSyncModel } from "../../../../src/face/lip-sync/lip-sync-model.ts";
import { loadLipSyncNetwork } from "../../../../src/face/lip-sync/load-lip-sync-network.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";
import type { TimedViseme } from "../../../../src/speech/visemes/timed-viseme.ts";
import { speakSentences } from "../../../helpers/speech/spoken.ts";

function rows(jaws: readonly number[]): Float32Array[] {
  return jaws.map((jaw) => {
    const row = new Float32Array(FACE_PARAMETER_COUNT);
    row[FACE_PARAMETER_INDEX.jaw] = jaw;
    return row;
  });
}

const VISEMES: TimedViseme[] = [
  { viseme: "aa", startMs: 0, endMs: 400 },
  { viseme: "PP", startMs: 400, endMs: 480 },
  { viseme: "aa", startMs: 480, endMs: 1000 },
];

t.test("a closure counts as visible within 60 ms, and turns and single openings are counted", async (t) => {
  const closed = Array.from({ length: 25 }, (_, k) => (k === 10 || k === 11 ? 1 : 0));
  const jaw = closed.map((value) => (value === 1 ? 0 : 0.4));
  t.match(countMotion({ closed, parameters: rows(jaw) }, VISEMES), {
    closures: 1,
    closuresSeen: 1,
    jawTurns: 1,
    blinks: 0,
  });
  const late = closed.map((_, k) => (k === 14 || k === 16 ? 1 : 0));
  t.match(countMotion({ closed: late, parameters: rows(jaw) }, VISEMES), { closuresSeen: 0, blinks: 1 });
});

t.test("rendered lip closures count, whatever viseme the network detected", async (t) => {
  const parameters = rows(new Array(25).fill(0.1));
  parameters[10][FACE_PARAMETER_INDEX.rollU] = 0.45;
  t.match(countMotion({ closed: new Array(25).fill(0), parameters }, VISEMES), { closures: 1, closuresSeen: 1 });
});

t.test("a mouth that is always shut sees every closure and nothing above chance", async (t) => {
  const closed = new Array(25).fill(1);
  const metrics = motionMetrics([countMotion({ closed, parameters: rows(closed.map(() => 0)) }, VISEMES)]);
  t.equal(metrics.closuresSeen, 1);
  t.notOk(metrics.closuresSeenLessChance > 0);
});

const RUNNING_SPEECH = [
  "How many people would you like to invite, and where should they sit?",
  "I have moved your appointment to Thursday afternoon at half past five.",
];

t.test("in ordinary speech the jaw turns at most eight times a second, with and without text", async (t) => {
  const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
  t.teardown(() => network.close());
  const spoken = await speakSentences(RUNNING_SPEECH, ["M1", "F2"]);
  for (const withText of [false, true]) {
    const counts = [];
    for (const { samples, sampleRateHz, visemes } of spoken) {
      const known = withText ? visemes : undefined;
      counts.push(countMotion(await shapeMouth(network, { samples, sampleRateHz }, { visemes: known }), visemes));
    }
    const { jawTurnsPerS, closuresSeen } = motionMetrics(counts);
    t.ok(jawTurnsPerS > 2 && jawTurnsPerS <= 8, `${jawTurnsPerS.toFixed(1)} turns a second`);
    t.ok(closuresSeen >= (withText ? 0.98 : 0.9), `${closuresSeen.toFixed(2)} of the closures`);
  }
});
