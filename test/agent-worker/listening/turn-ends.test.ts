// The process of the end-of-turn model, with the framework's real model.
import { readFileSync } from "node:fs";
import t from "tap";
import { TURN_END_SAMPLES, TurnEnds } from "../../../agent-worker/listening/turn-ends.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { childPids } from "../../helpers/processes/child-pids.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const PROCESS = "turn-end-process";
const { samples: weather } = readWav(readFileSync(new URL("../../fixtures/speech/weather-en.wav", import.meta.url)));

t.setTimeout(120_000);

t.test("one process predicts for all; a whole sentence ends more probably than a half one", async (t) => {
  const turnEnds = new TurnEnds();
  t.teardown(() => turnEnds.close());
  turnEnds.warmUp();
  t.equal(childPids(PROCESS).length, 1);
  await turnEnds.predict(weather);
  const pause = new Int16Array(4_800);
  const end = Int16Array.from([...weather, ...pause]);
  const [whole, again, half] = await Promise.all([
    turnEnds.predict(end, "ann"),
    turnEnds.predict(end.subarray(-TURN_END_SAMPLES), "ben"),
    turnEnds.predict(Int16Array.from([...weather.subarray(0, 14_000), ...pause]), "cid"),
  ]);
  t.ok(whole >= 0 && whole <= 1 && half >= 0 && half <= 1, `${whole} ${half}`);
  t.equal(whole, again, "the last 1.2 s count");
  t.ok(whole > half, `whole ${whole}, half ${half}`);
  t.equal(childPids(PROCESS).length, 1);
});

t.test("a process that dies fails one prediction; the next starts it again", async (t) => {
  const turnEnds = new TurnEnds();
  t.teardown(() => turnEnds.close());
  const lost = t.rejects(turnEnds.predict(weather), { name: "EngineError", code: "program-failed" });
  for (const pid of childPids(PROCESS)) process.kill(pid, "SIGKILL");
  await lost;
  t.type(await turnEnds.predict(weather), "number");
});

t.test("aborted predictions, empty input and too many predictions are refused", async (t) => {
  const turnEnds = new TurnEnds();
  t.teardown(() => turnEnds.close());
  await t.rejects(turnEnds.predict(new Int16Array(0)), { code: "invalid-input" });
  await turnEnds.predict(weather);
  const gone = new AbortController();
  const first = turnEnds.predict(weather, "ann");
  const left = turnEnds.predict(weather, "ann", gone.signal);
  const last = turnEnds.predict(weather, "ann");
  await t.rejects(turnEnds.predict(weather, "ann"), { code: "unavailable", message: /Too many turns/ });
  gone.abort(new Error("went on speaking"));
  await t.rejects(left, /went on speaking/);
  t.equal(await first, await last);
  await turnEnds.close();
  await t.rejects(turnEnds.predict(weather), { code: "unavailable", message: /closed/ });
});

t.test("the process ends when it is idle", async (t) => {
  const turnEnds = new TurnEnds({ idleMs: 50 });
  t.teardown(() => turnEnds.close());
  await turnEnds.predict(weather);
  await waitFor(() => childPids(PROCESS).length === 0, "the end of the idle process");
});
