// The same avatar file in Node and in a tab of a real browser: the same frames, and a page that plays it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { runShape } from "../../cli/commands/run/run-shape.ts";
import { watch, withEngineTab } from "../../lab/bench/engine-tab.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { LOCAL_STATES } from "../../lab/page-sheet/local-states.ts";
import { FACE_PARAMETER_COUNT, toParameterVector } from "../../shared/face-parameters.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { buildWeb } from "../../web/build.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { runtime } from "../helpers/faces/face-of.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { axeViolations } from "../helpers/pages/axe-violations.ts";
import { readCommand } from "../helpers/service/read-command.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { speakSentences } from "../helpers/speech/spoken.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const AVATAR = join(PROJECT, "cli", "avatar.mjs");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const ASTRONAUT = join(PROJECT, "test", "fixtures", "portraits", "astronaut.png");
const POSES = 24;
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
});

t.test("the page that renders faces in the tab", { skip, timeout: 420_000 }, async (t) => {
  await mkdir(ARTIFACTS, { recursive: true });
  const folder = await makeDataFolder(t);
  const [spoken] = await speakSentences(["Hello, my name is Maya, and I live in this browser tab."], ["F1"]);
  await writeFile(join(folder, "drawing.imx"), await writeImx(await bakedFace("drawing")));
  await writeFile(join(folder, "hello.wav"), writeWav(spoken));
  await buildWeb({ outDir: join(PROJECT, "web", "dist") });
  await withApi(
    (api) =>
      withChromium(async (browser) => {
        const { secret } = await api.addAccount();
        const service = { baseUrl: api.baseUrl, apiSecret: secret };
        await t.test("opens with a face that moves, and speaks what the visitor brings", async (t) => {
          const page = await browser.newPage({ viewport: { width: 900, height: 900 } });
          const problems = watch(page, api.baseUrl);
          // Playwright catches choosers only while someone listens; listening always, none slips through.
          page.on("filechooser", () => undefined);
          await page.addInitScript(RECORD_AUDIO);
          const answer = await page.goto(`${api.baseUrl}/local`);
          t.match(answer?.headers()["content-security-policy"], /script-src 'self' 'wasm-unsafe-eval';/);
          await usePage(t, page, folder);
          t.same(problems, [], "no error, no violation of the policy, no other origin");
          await page.close();
        });
        await t.test("a line is spoken by the service, for those who may use it", async (t) => {
          await withPage(browser, async (page) => {
            await LOCAL_STATES[0].open(page, service);
            await page.locator("#text").fill("Papa bought a map.");
            await page.locator("#text").press("Enter");
            await page.locator('.stage[data-state="speaking"]').waitFor();
            await page.locator('.stage[data-state="idle"]').waitFor();
            t.equal(await page.locator("#text").inputValue(), "", "the line was said");
          });
          await withPage(browser, async (page) => {
            await page.goto(`${api.baseUrl}/local`);
            await page.locator('.stage[data-face="alive"]').waitFor();
            await page.locator("#text").fill("Papa bought a map.");
            await page.locator("#text").press("Enter");
            const refused = page.locator(".stage-notice", { hasText: "The line cannot be spoken" });
            t.match(await refused.textContent(), /start page.*API secret|audio file/);
            t.equal(await page.locator("#text").inputValue(), "Papa bought a map.", "the line is not lost");
          });
        });
        await t.test("avatar run shows a file without a service, and Ctrl-C ends it", async (t) => {
          const status = await withRunningFace(join(folder, "drawing.imx"), async (url) => {
            await withPage(browser, async (page) => {
              const problems = watch(page, url.replace(/\/$/, ""));
              await page.addInitScript(RECORD_AUDIO);
              const answer = await page.goto(url);
              t.match(
                answer?.headers()["content-security-policy"],
                /default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/,
              );
              await page.locator('.stage[data-face="alive"]').waitFor();
              await page.locator(".stage-name", { hasText: "drawing" }).waitFor();
              t.equal(await page.locator("nav").count(), 0, "no way to pages that are not there");
              const moods = page.getByRole("group", { name: "Mood" });
              const pressed = () => moods.locator("[aria-pressed=true]").allTextContents();
              t.same(await pressed(), ["Happy"], "the mood that the command names");
              await moods.getByRole("button", { name: "Sad" }).press("Enter");
              t.same(await pressed(), ["Sad"], "one at a time");
              await moods.getByRole("button", { name: "Sad" }).press("Enter");
              t.same(await pressed(), [], "and none again");
              const idle = await mouthMotion(page, 12);
              t.ok(idle.frames > 3, `the face moves: ${idle.frames} different frames`);
              await page.locator("#audio-file").setInputFiles(join(folder, "hello.wav"));
              await page.locator('.stage[data-state="speaking"]').waitFor();
              t.ok((await mouthMotion(page, 25)).change > 2 * idle.change, "it says what the visitor plays");
              await page.locator('.stage[data-state="idle"]').waitFor();
              await page.locator("#text").fill("Papa bought a map.");
              await page.locator("#text").press("Enter");
              await page.locator('.stage[data-state="speaking"]').waitFor();
              await page.waitForFunction("document.getElementById('text').value === ''");
              await page.locator('.stage[data-state="idle"]').waitFor();
              t.pass("this computer's voice says a line");
              t.same(await axeViolations(page), []);
              const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
              t.equal(overflow, 0, "nothing leaves a small screen");
              t.same(problems, [], "no error, no violation of the policy, no other origin");
            });
          });
          t.equal(status, 0, "its regular end");
        });
        await t.test("a photograph becomes a face, and is not sent", async (t) => {
          await withPage(browser, async (page) => {
            await LOCAL_STATES[0].open(page, service);
            const sent: string[] = [];
            page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
            await page.locator("#picture-file").setInputFiles(ASTRONAUT);
            await page.locator(".stage-name", { hasText: "Your face" }).waitFor();
            await page.locator('.stage[data-face="alive"]').waitFor();
            t.ok((await mouthMotion(page, 12)).frames > 3, "it moves");
            t.same(sent, []);
          });
        });
        await t.test("the page works without storage", async (t) => {
          await withPage(browser, async (page) => {
            await page.addInitScript(`Object.defineProperty(globalThis, "sessionStorage", {
              get() { throw new DOMException("denied", "SecurityError"); } })`);
            await page.goto(`${api.baseUrl}/local`);
            await page.locator('.stage[data-face="alive"]').waitFor();
            t.pass("a face moves");
          });
        });
        for (const state of LOCAL_STATES) {
          await t.test(`accessible: ${state.name}`, async (t) => {
            await withPage(browser, async (page) => {
              await page.emulateMedia({ reducedMotion: "reduce" });
              await state.open(page, service);
              t.same(await axeViolations(page), []);
              const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
              t.equal(overflow, 0, "nothing leaves a small screen");
            });
          });
        }
      }, MICROPHONE_FLAGS),
    { baker: "real", environment: { AVATAR_VOICE: "formant" } },
  );
});

/** The page of `avatar run`. Returns the status with which it ends when it is interrupted. */
async function withRunningFace(file: string, use: (url: string) => Promise<void>): Promise<number> {
  const environment = { ...process.env, AVATAR_VOICE: "formant", AVATAR_API_URL: "http://127.0.0.1:9" };
  const child = spawn(process.execPath, [AVATAR, "run", file, "--port", "0", "--emotion", "happy:0.6", "--json"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exited]);
    await use(readCommand(runShape, String(line)).url);
  } finally {
    child.kill("SIGINT");
    await exited;
  }
  return (await exited)[0];
}

/** A page of its own context, as small as a phone. */
async function withPage(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    await use(page);
  } finally {
    await context.close();
  }
}

async function usePage(t: Test, page: Page, folder: string): Promise<void> {
  await page.locator('.stage[data-face="alive"]').waitFor();
  const idle = await mouthMotion(page, 12);
  t.ok(idle.frames > 3, `before any tap the face moves: ${idle.frames} different frames`);
  t.equal(await page.evaluate("startedAudio.length"), 0, "and is silent");

  await page.keyboard.press("h");
  await page.locator('.stage[data-state="speaking"]').waitFor();
  await page.keyboard.press("Escape");
  await page.locator('.stage[data-state="idle"]').waitFor();

  await chooseByKey(page, "o", join(folder, "drawing.imx"));
  await page.locator(".stage-name", { hasText: "drawing" }).waitFor();
  await page.locator('.stage[data-face="alive"]').waitFor();
  await page.locator("#metrics", { hasText: /\d+ fps · rendering [\d.]+ ms/ }).waitFor();

  await page.evaluate("startedAudio.length = 0");
  await chooseByKey(page, "a", join(folder, "hello.wav"));
  await page.locator('.stage[data-state="speaking"]').waitFor();
  const speaking = await mouthMotion(page, 25);
  await page.screenshot({ path: join(ARTIFACTS, "local-page-speaking.png") });
  t.ok(speaking.change > 2 * idle.change, `the mouth moves: ${speaking.change} against ${idle.change} at rest`);
  await page.locator('.stage[data-state="idle"]').waitFor();
  await checkAudio(t, page);

  await page.keyboard.press("m");
  await page.locator('.stage[data-state="listening"]').waitFor();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "true");
  await page.locator("#text").press("h");
  t.equal(
    await page.locator(".stage").getAttribute("data-state"),
    "listening",
    "a letter that is typed is no shortcut",
  );
  await page.keyboard.press("Escape");
  await page.locator('.stage[data-state="idle"]').waitFor();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "false");
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

/** Reads the canvas `count` times, 80 ms apart. Returns how many frames differed, and the mean change of a sample
 *  between two reads. */
async function mouthMotion(page: Page, count: number): Promise<{ frames: number; change: number }> {
  return (await page.evaluate(`(async () => {
    const canvas = document.querySelector("canvas.stage-face");
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
