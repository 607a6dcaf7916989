// The echo check with real speech in synthetic rooms. `npm run soak -- echo` does it for longer, with more voices.
import { readFileSync } from "node:fs";
import t from "tap";
import { createEchoScene, type EchoSceneOptions } from "../../../../lab/soak/echo/echo-scene.ts";
import { detect, playScene } from "../../../../lab/soak/echo/play-scene.ts";
import { createSeededRandom } from "../../../../lab/soak/seeded-random.ts";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { readWav } from "../../../../src/signal/audio/wav.ts";
import { EchoCheck } from "../../../../src/speech/echo/echo-check.ts";

const weather = spoken("weather-en");
const train = spoken("train-es");
const PERSON = { sentences: [train], firstS: 2, pauseS: 1.5 };

t.setTimeout(120_000);

function spoken(name: string): Float32Array {
  return toFloatSamples(
    readWav(readFileSync(new URL(`../../../fixtures/speech/${name}.wav`, import.meta.url))).samples,
  );
}

function sceneOf(options: Partial<EchoSceneOptions>, seed = 1) {
  return createEchoScene({ seconds: 12, random: createSeededRandom(seed), avatar: [weather], ...options });
}

t.test("the avatar does not hear itself, from its first word on, whatever the echo is like", async (t) => {
  const scene = sceneOf({});
  const raw = await detect(scene.microphone);
  t.ok(raw.filter((probability) => probability > 0.5).length > 200, "without the check it does");
  const echoes: Partial<EchoSceneOptions>[] = [
    {},
    { echoDb: -6, delayMs: 60, fadeS: 0.2 },
    { echoDb: -20, delayMs: 500, fadeS: 0.6, isDistorted: true },
    { jumps: true },
    { loses: true },
    { driftPpm: 100, pauseS: 2 },
  ];
  for (const [index, echo] of echoes.entries()) {
    const { falseCutInsS } = await playScene(sceneOf(echo, index + 1));
    t.same(falseCutInsS, [], JSON.stringify(echo));
  }
});

t.test("a person is heard over the echo: soon if as loud, at once if louder", async (t) => {
  for (const [levelDb, limitMs] of [
    [10, 300],
    [0, 600],
  ]) {
    const { latenessMs, falseCutInsS } = await playScene(sceneOf({ person: { ...PERSON, levelDb }, seconds: 20 }));
    t.ok(latenessMs.length >= 4, `${latenessMs.length} cut-ins`);
    t.ok(Math.max(...latenessMs) <= limitMs, `${levelDb} dB: ${latenessMs} ms`);
    t.same(falseCutInsS, []);
  }
});

t.test("a person without any echo, as on headphones, is heard while the avatar talks", async (t) => {
  const person = { ...PERSON, levelDb: 80 };
  const { latenessMs } = await playScene(sceneOf({ echoDb: -90, person, noiseDb: -70 }));
  t.ok(latenessMs.length >= 2 && Math.max(...latenessMs) <= 300, `${latenessMs} ms`);
});

t.test("the length of the microphone's blocks makes no difference", async (t) => {
  const scene = sceneOf({ person: { ...PERSON, levelDb: 6 } });
  for (const blockSamples of [160, 200, 480, 640]) {
    const { falseCutInsS, latenessMs } = await playScene(scene, blockSamples);
    t.same(falseCutInsS, [], `${blockSamples}`);
    t.ok(latenessMs.length >= 2 && Math.max(...latenessMs) <= 300, `${blockSamples}: ${latenessMs} ms`);
  }
});

t.test("the input is returned as it is while the avatar has been silent for 1.5 s", async (t) => {
  const check = new EchoCheck();
  const block = Int16Array.from({ length: 320 }, (_, i) => i);
  t.equal(check.pushAudio(block, 1000).samples, block, "before its first word");
  const sound = new Int16Array(320).fill(1000);
  check.played(sound, 2000);
  check.played(new Int16Array(16_000), 2020);
  t.not(check.pushAudio(block, 2020).samples, block);
  t.not(check.pushAudio(block, 3490).samples, block, "an echo may still come");
  t.equal(check.pushAudio(block, 4500).samples, block);
  t.equal(check.pushAudio(block, 4520).isEcho, false);
});

t.test("what is cleared is not expected as echo", async (t) => {
  const check = new EchoCheck();
  const block = new Int16Array(320);
  check.played(new Int16Array(64_000).fill(1000), 2000);
  check.cleared(2100);
  t.not(check.pushAudio(block, 3580).samples, block);
  t.equal(check.pushAudio(block, 4500).samples, block);
});
