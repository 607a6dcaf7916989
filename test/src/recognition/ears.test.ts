// The process of the recogniser, with its real network.
import { readFileSync } from "node:fs";
import t from "tap";
import { readWav } from "../../../src/audio/wav.ts";
import { Ears } from "../../../src/recognition/ears.ts";
import { childPids } from "../../helpers/child-pids.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const PROCESS = "recognition-process";
const weather = spoken("weather-en");
const train = spoken("train-es");

t.setTimeout(120_000);

function spoken(name: string): Int16Array {
  return readWav(readFileSync(new URL(`../../fixtures/speech/${name}.wav`, import.meta.url))).samples;
}

t.test("one process hears all who speak; an utterance that is not wanted delays no other", async (t) => {
  const ears = new Ears({ niceness: 0 });
  t.teardown(() => ears.close());
  ears.warmUp();
  t.equal(childPids(PROCESS).length, 1);
  const leaving = new AbortController();
  const first = ears.hear(weather, { language: "en", owner: "ann" });
  const dropped = ears.hear(weather, { owner: "ben", signal: leaving.signal });
  const last = ears.hear(train, { language: "es", owner: "cid" });
  t.match(await first, { text: /^The weather will stay warm/, language: "en" });
  leaving.abort(new Error("went on speaking"));
  await t.rejects(dropped, /went on speaking/);
  t.match(await last, { text: /Sevilla/, language: "es" });
  t.equal(childPids(PROCESS).length, 1);
});

t.test("a process that dies fails one utterance; too many and too long ones are refused", async (t) => {
  const ears = new Ears({ niceness: 0 });
  t.teardown(() => ears.close());
  const lost = t.rejects(ears.hear(weather), { name: "EngineError", code: "program-failed" });
  for (const pid of childPids(PROCESS)) process.kill(pid, "SIGKILL");
  await lost;
  const heard = [1, 2, 3, 4, 5].map(() => ears.hear(weather));
  await t.rejects(ears.hear(weather), { code: "unavailable", message: /Too many utterances/ });
  t.match(await heard[0], { text: /^The weather/ });
  await t.rejects(ears.hear(new Int16Array(601 * 16_000), { owner: "ann" }), { code: "too-large" });
  const left = heard.slice(1).map((each) => each.catch(() => undefined));
  await ears.close();
  await Promise.all(left);
  await t.rejects(ears.hear(weather), { code: "unavailable", message: /closed/ });
});

t.test("the process ends when it is idle", async (t) => {
  const ears = new Ears({ idleMs: 50, niceness: 0 });
  t.teardown(() => ears.close());
  await ears.hear(weather, { language: "en" });
  await waitFor(() => childPids(PROCESS).length === 0, "the end of the idle process");
});
