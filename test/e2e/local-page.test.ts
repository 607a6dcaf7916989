// The same avatar file in Node and in a tab of a real browser: the same frames, and a page that plays it.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { watch, withEngineTab } from "../../lab/bench/engine-tab.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { FACE_PARAMETER_COUNT, toParameterVector } from "../../shared/face-parameters.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { buildWeb } from "../../web/build.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { runtime } from "../helpers/faces/face-of.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { speakSentences } from "../helpers/speech/spoken.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const POSES = 24;
const LIVE_TIMEOUT_MS = 60_000;
const SPEECH_TIMEOUT_MS = 30_000;
/** The fake microphone that Chromium brings beeps; it needs no permission. */
const MICROPHONE_FLAGS = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

/** WebGPU on the processor, which shows that the graph runs there, not how fast. */
const SOFTWARE_GPU_FLAGS = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--ignore-gpu-blocklist",
];

/** Keeps when each audio chunk was told to start, and how loud it is. */
const RECORD_AUDIO = `
  globalThis.startedAudio = [];
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (atS) {
    const samples = this.buffer.getChannelData(0);
    startedAudio.push({ atS, durationS: this.buffer.duration, peak: Math.max(...samples) });
    return start.call(this, atS);
  };
`;

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("an .imx renders the same face in a browser tab", { skip, timeout: 420_000 }, async (t) => {
  const imx = await bakedFace("drawing");
  const bytes = await writeImx(imx);
  await mkdir(ARTIFACTS, { recursive: true });

  await t.test("a tab renders what Node renders, within one grey level", async (t) => {
    const avatar = await openAvatar(imx, runtime);
    t.teardown(() => avatar.close());
    await withEngineTab({ files: { "bundle.imx": bytes } }, async (tab) => {
      t.equal(await tab.call("open", "bundle.imx", "wasm"), "wasm");
      const agreements: number[] = [];
      const frames: Buffer[] = [];
      for (const pose of somePoses(toParameterVector(imx.manifest.restPose))) {
        const { data } = await avatar.render(pose);
        const rendered = Buffer.from(await tab.call("render", [...pose]), "base64");
        agreements.push(agreement(data, rendered));
        frames.push(rendered);
      }
      const worst = Math.min(...agreements);
      t.ok(worst >= 0.999, `${(100 * worst).toFixed(3)} % of the samples of the worst of ${POSES} poses agree`);
      t.ok(
        frames.slice(1).every((frame) => !frame.equals(frames[0])),
        "the poses are different frames",
      );
      const hasWebGpu = await tab.hasWebGpu();
      t.comment(hasWebGpu ? "this browser has WebGPU" : "no WebGPU adapter here: wasm alone was compared");
      if (!hasWebGpu) await t.rejects(tab.call("open", "bundle.imx", "webgpu"), /no WebGPU adapter/);
      t.equal(await tab.call("open", "bundle.imx", "auto"), hasWebGpu ? "webgpu" : "wasm");
      t.same(tab.problems, [], "nothing is reported, and nothing is fetched from elsewhere");
    });
  });

  await t.test("a tab with WebGPU renders the same, even with a software adapter", async (t) => {
    const avatar = await openAvatar(imx, runtime);
    t.teardown(() => avatar.close());
    await withEngineTab({ files: { "bundle.imx": bytes }, flags: SOFTWARE_GPU_FLAGS }, async (tab) => {
      if (!(await tab.hasWebGpu())) return t.comment("this Chromium has no WebGPU at all, so nothing was compared");
      t.equal(await tab.call("open", "bundle.imx", "auto"), "wasm", "an imitation is not chosen by itself");
      t.equal(await tab.call("open", "bundle.imx", "webgpu"), "webgpu");
      const pose = somePoses(toParameterVector(imx.manifest.restPose))[3];
      const rendered = Buffer.from(await tab.call("render", [...pose]), "base64");
      t.ok(agreement((await avatar.render(pose)).data, rendered) >= 0.999);
    });
  });

  await t.test("the page opens a file, moves, plays an audio file and stops", async (t) => {
    const folder = await makeDataFolder(t);
    const [spoken] = await speakSentences(["Hello, my name is Maya, and I live in this browser tab."], ["F1"]);
    await writeFile(join(folder, "maya.imx"), bytes);
    await writeFile(join(folder, "hello.wav"), writeWav(spoken));
    await writeFile(join(folder, "broken.imx"), bytes.subarray(0, bytes.length - 1));
    await buildWeb();
    await withApi((api) =>
      withChromium(async (browser) => {
        const page = await browser.newPage({ viewport: { width: 900, height: 900 } });
        const problems = watch(page, api.baseUrl);
        // Playwright catches choosers only while someone listens; listening always, none slips through.
        page.on("filechooser", () => undefined);
        await page.addInitScript(RECORD_AUDIO);
        const answer = await page.goto(`${api.baseUrl}/local`);
        t.match(answer?.headers()["content-security-policy"], /script-src 'self' 'wasm-unsafe-eval';/);
        await usePage(t, page, folder);
        t.same(problems, [], "no error, no violation of the policy, no other origin");
      }, MICROPHONE_FLAGS),
    );
  });
});

async function usePage(t: Test, page: Page, folder: string): Promise<void> {
  t.ok(await page.locator("#audio").isDisabled(), "without a face there is nothing to say it");
  await chooseByKey(page, "o", join(folder, "broken.imx"));
  await says(page, /cannot be opened.*\.imx cannot be used/, "a broken file is refused in words");
  t.equal(await page.locator("#page").getAttribute("data-state"), "empty");

  await chooseByKey(page, "o", join(folder, "maya.imx"));
  await waitFor(
    async () => (await page.locator("#page").getAttribute("data-state")) === "live",
    "the face is live",
    LIVE_TIMEOUT_MS,
  );
  await waitFor(
    async () => /\d+ fps · rendering [\d.]+ ms/.test((await page.locator("#metrics").textContent()) ?? ""),
    "metrics are shown",
    LIVE_TIMEOUT_MS,
  );
  const idle = await mouthMotion(page, 12);
  t.ok(idle.frames > 3, `the idle face moves: ${idle.frames} different frames`);

  await chooseByKey(page, "s", join(folder, "hello.wav"));
  await says(page, /^Playing hello\.wav$/, "the audio plays");
  const speaking = await mouthMotion(page, 25);
  await page.screenshot({ path: join(ARTIFACTS, "local-page-speaking.png") });
  t.ok(speaking.change > 2 * idle.change, `the mouth moves: ${speaking.change} against ${idle.change} at rest`);
  await says(page, /^$/, "the audio ends");
  await checkAudio(t, page);

  await page.locator("#microphone").click();
  await says(page, /what you say/, "the microphone is open");
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("Escape");
  await says(page, /^$/, "Escape ends it");
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "false");
  t.comment((await page.locator("#metrics").textContent()) ?? "");

  await page.setViewportSize({ width: 340, height: 560 });
  const overflow = await page.evaluate(`document.documentElement.scrollWidth - innerWidth`);
  t.equal(overflow, 0, "nothing leaves a small screen");
  await page.screenshot({ path: join(ARTIFACTS, "local-page-small.png") });
}

/** What is put on the sound card's clock: 40 ms chunks, one exactly behind the other or later. */
async function checkAudio(t: Test, page: Page): Promise<void> {
  const pieces = (await page.evaluate(`startedAudio`)) as { atS: number; peak: number; durationS: number }[];
  t.ok(pieces.length > 25, `${pieces.length} chunks of audio`);
  t.ok(Math.max(...pieces.map(({ peak }) => peak)) > 0.1, "they can be heard");
  const gapsS = pieces.slice(1).map(({ atS }, i) => atS - pieces[i].atS - pieces[i].durationS);
  t.ok(Math.min(...gapsS) > -1e-6, "none begins before the one ahead of it ends");
  // On a busy machine many come late: how many says nothing about the page.
  const gapless = gapsS.filter((gapS) => gapS < 1e-6).length;
  t.ok(gapless >= 10, `${gapless} of ${gapsS.length} follow without a gap`);
}

/** Share of the samples of two frames that differ by one grey level at most; 0 if they are not of one size. */
function agreement(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return 0;
  return a.reduce((near, value, index) => near + (Math.abs(value - b[index]) <= 1 ? 1 : 0), 0) / a.length;
}

/** Presses a key that opens a chooser, and chooses. */
async function chooseByKey(page: Page, key: string, file: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.keyboard.press(key);
  await (await chooser).setFiles(file);
}

async function says(page: Page, words: RegExp, what: string): Promise<void> {
  await waitFor(async () => words.test((await page.locator("#hint").textContent()) ?? ""), what, SPEECH_TIMEOUT_MS);
}

/** Reads the canvas `count` times, 80 ms apart. Returns how many frames differed, and the mean change of a sample
 *  between two reads. */
async function mouthMotion(page: Page, count: number): Promise<{ frames: number; change: number }> {
  return (await page.evaluate(`(async () => {
    const canvas = document.getElementById("canvas");
    const { width, height } = canvas;
    const read = () => canvas.getContext("2d").getImageData(width / 4, height / 2, width / 2, height / 3).data;
    let before = read();
    let frames = 0;
    let change = 0;
    for (let look = 0; look < ${count}; look++) {
      await new Promise((resolve) => setTimeout(resolve, 80));
      const now = read();
      let sum = 0;
      for (let i = 0; i < now.length; i += 4) sum += Math.abs(now[i + 1] - before[i + 1]);
      if (sum > 0) frames += 1;
      change += (4 * sum) / now.length / ${count};
      before = now;
    }
    return { frames, change };
  })()`)) as { frames: number; change: number };
}

/** The photo, the pose at rest, each extreme of a moving face, and mixtures; the same ones every time. */
function somePoses(rest: Float32Array): Float32Array[] {
  return Array.from({ length: POSES }, (_, index) => {
    const pose = new Float32Array(FACE_PARAMETER_COUNT);
    if (index === 0) return pose;
    pose.set(rest);
    for (let k = 0; index > 1 && k < pose.length; k++) {
      const wave = Math.sin(1.7 * index + 2.3 * k);
      // Odd ones move everything a little, even ones a few parameters fully.
      pose[k] += index % 2 ? 0.35 * wave : k % 6 === index % 6 ? wave : 0;
    }
    return pose;
  });
}
