// The process of the recogniser, with its real network.
import { readFileSync } from "node:fs";
import t from "tap";
import { readWav } from "../../../../src/signal/audio/wav.ts";
import { SpeechRecogniser } from "../../../../src/speech/recognition/speech-recogniser.ts";
import { childPids } from "../../../helpers/processes/child-pids.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const PROCESS = "recognition-process";
const weather = spoken("weather-en");
const train = spoken("train-es");

t.setTimeout(120_000);

function spoken(name: string): Int16Array {
  return readWav(readFileSync(new URL(`../../../fixtures/speech/${name}.wav`, import.meta.url))).samples;
}

t.test("one process recognises all speakers; an unwanted utterance delays no other", async (t) => {
  const stt = new SpeechRecogniser({ niceness: 0 });
  t.teardown(() => stt.close());
  stt.warmUp();
  t.equal(childPids(PROCESS).length, 1);
  const leaving = new AbortController();
  const first = stt.transcribe(weather, { language: "en", owner: "ann" });
  const dropped = stt.transcribe(weather, { owner: "ben", signal: leaving.signal });
  const last = stt.transcribe(train, { language: "es", owner: "cid" });
  t.match(await first, { text: /^The weather will stay warm/, language: "en" });
  leaving.abort(new Error("went on speaking"));
  await t.rejects(dropped, /went on speaking/);
  t.match(await last, { text: /Sevilla/, language: "es" });
  t.equal(childPids(PROCESS).length, 1);
});

t.test("a process that dies fails one utterance; too many and too long ones are refused", async (t) => {
  const stt = new SpeechRecogniser({ niceness: 0 });
  t.teardown(() => stt.close());
  const lost = t.rejects(stt.transcribe(weather), { name: "EngineError", code: "program-failed" });
  for (const pid of childPids(PROCESS)) process.kill(pid, "SIGKILL");
  await lost;
  const recognised = [1, 2, 3, 4, 5].map(() => stt.transcribe(weather));
  await t.rejects(stt.transcribe(weather), { code: "unavailable", message: /Too many utterances/ });
  t.match(await recognised[0], { text: /^The weather/ });
  await t.rejects(stt.transcribe(new Int16Array(601 * 16_000), { owner: "ann" }), { code: "too-large" });
  const left = recognised.slice(1).map((each) => each.catch(() => undefined));
  await stt.close();
  await Promise.all(left);
  await t.rejects(stt.transcribe(weather), { code: "unavailable", message: /closed/ });
});

t.test("the process ends when it is idle", async (t) => {
  const stt = new SpeechRecogniser({ idleMs: 50, niceness: 0 });
  t.teardown(() => stt.close());
  await stt.transcribe(weather, { language: "en" });
  await waitFor(() => childPids(PROCESS).length === 0, "the end of the idle process");
});
