// Speech detection with the framework's real network, from its package and from the bundle's part of it.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { endOfTurnThreshold } from "../../../agent-worker/listening/end-of-turn-threshold.ts";
import { SPEECH_WINDOW_SAMPLES, SpeechDetector } from "../../../agent-worker/listening/speech-detector.ts";
import { bundle } from "../../../cli/start/build/bundle.ts";
import { PACKAGE_PARTS } from "../../../cli/start/build/package-parts.ts";
import type { SpeechWindow } from "../../../src/conversation/turns/turn-listener.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { makeDataFolder } from "../../helpers/files/data-folder.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SPEECH = new URL("../../fixtures/speech/weather-en.wav", import.meta.url);
const { samples: speech } = readWav(readFileSync(SPEECH));

t.setTimeout(60_000);

function detector(t: Test): { detector: SpeechDetector; windows: SpeechWindow[] } {
  const windows: SpeechWindow[] = [];
  const made = new SpeechDetector({ onWindow: (window) => windows.push(window) });
  t.teardown(() => made.close());
  return { detector: made, windows };
}

t.test("each window comes once, in order, with its samples, however the audio is cut", async (t) => {
  const { detector: small, windows } = detector(t);
  const audio = speech.slice(0, 40 * SPEECH_WINDOW_SAMPLES);
  const block = new Int16Array(333);
  for (let at = 0; at < audio.length; at += block.length) {
    const length = Math.min(block.length, audio.length - at);
    block.set(audio.subarray(at, at + length));
    small.push(block.subarray(0, length));
    block.fill(0);
  }
  await waitFor(() => windows.length === 40, "40 windows");
  t.same(Int16Array.from(windows.flatMap(({ samples }) => [...samples])), audio);
  const { detector: whole, windows: others } = detector(t);
  whole.push(audio);
  await waitFor(() => others.length === 40, "40 windows");
  t.same(
    windows.map(({ probability }) => probability),
    others.map(({ probability }) => probability),
  );
});

t.test("speech is probable, silence and noise are not", async (t) => {
  const { detector: speaking, windows } = detector(t);
  speaking.push(speech.subarray(0, 60 * SPEECH_WINDOW_SAMPLES));
  await waitFor(() => windows.length === 60, "windows of speech");
  t.ok(windows.filter(({ probability }) => probability > 0.9).length > 45);
  const { detector: silent, windows: quiet } = detector(t);
  let state = 1;
  silent.push(
    Int16Array.from({ length: 60 * SPEECH_WINDOW_SAMPLES }, () => {
      state = (state * 16_807) % 2_147_483_647;
      return (state % 200) - 100;
    }),
  );
  await waitFor(() => quiet.length === 60, "windows of noise");
  t.ok(
    quiet.every(({ probability }) => probability < 0.3),
    `at most ${Math.max(...quiet.map((window) => window.probability))}`,
  );
});

t.test("a reset detector gives the probabilities of a new one", async (t) => {
  const { detector: used, windows } = detector(t);
  used.push(speech.subarray(8_000, 8_000 + 20 * SPEECH_WINDOW_SAMPLES + 100));
  used.reset();
  used.push(speech.subarray(0, 20 * SPEECH_WINDOW_SAMPLES));
  const { detector: fresh, windows: expected } = detector(t);
  fresh.push(speech.subarray(0, 20 * SPEECH_WINDOW_SAMPLES));
  await waitFor(() => windows.length === 40 && expected.length === 20, "all windows");
  t.same(
    windows.slice(20).map(({ probability }) => probability),
    expected.map(({ probability }) => probability),
  );
});

t.test("windows beyond two seconds of waiting ones are dropped", async (t) => {
  const { detector: late, windows } = detector(t);
  late.push(new Int16Array(100 * SPEECH_WINDOW_SAMPLES));
  await waitFor(() => windows.length === 62, "the windows that waited");
  late.push(new Int16Array(SPEECH_WINDOW_SAMPLES));
  await waitFor(() => windows.length >= 63, "a later window");
  t.equal(windows.length, 63, "no window came between");
});

t.test("no window comes after the end", async (t) => {
  const { detector: closed, windows } = detector(t);
  closed.push(speech.subarray(0, 10 * SPEECH_WINDOW_SAMPLES));
  await waitFor(() => windows.length > 0, "the first window");
  closed.close();
  const count = windows.length;
  closed.push(speech);
  closed.reset();
  closed.close();
  const { detector: next, windows: later } = detector(t);
  next.push(speech.subarray(0, 20 * SPEECH_WINDOW_SAMPLES));
  await waitFor(() => later.length === 20, "windows of another detector");
  t.equal(windows.length, count);
});

t.test("thresholds are those of the framework's local model", async (t) => {
  t.equal(endOfTurnThreshold("en"), 0.36);
  t.equal(endOfTurnThreshold("de-CH"), 0.245);
  t.equal(endOfTurnThreshold("zh_Hant_TW"), 0.355);
  t.equal(endOfTurnThreshold("fi"), 0.36, "English for languages that are not listed");
});

t.test("a bundle holds the part of the framework that is used, and works with it", async (t) => {
  const folder = await makeDataFolder(t);
  const main = join(folder, "main.ts");
  await writeFile(
    main,
    `import { endOfTurnThreshold } from "${ROOT}/agent-worker/listening/end-of-turn-threshold.ts";
import { SpeechDetector } from "${ROOT}/agent-worker/listening/speech-detector.ts";
const { readWav } = await import("${ROOT}/src/signal/audio/wav.ts");
const { readFileSync } = await import("node:fs");
const { samples } = readWav(readFileSync(${JSON.stringify(fileURLToPath(SPEECH))}));
let count = 0;
const detector = new SpeechDetector({
  onWindow({ probability }) {
    if (++count < 18) return;
    console.log(probability > 0.9, endOfTurnThreshold("it"));
    detector.close();
  },
});
detector.push(samples.subarray(0, 20 * 512));
`,
  );
  const outFolder = join(ROOT, "node_modules", ".cache", "open-avatar-service-tests");
  const requiredPackages = ["@livekit/rtc-node", "pino"];
  await bundle({ entries: { "test-listening": main }, outFolder, requiredPackages, packageParts: PACKAGE_PARTS });
  const program = join(outFolder, "test-listening.mjs");
  t.notMatch(readFileSync(program, "utf8"), /opentelemetry|from "@livekit\/agents"/);
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  t.equal(stdout, "true 0.23\n");
});
