// What the engine package costs: the first frame of a new process, rendering beside the bare engine, a face in a tab.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { open } from "../../../sdk/engine/node.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { filmTicks } from "../../../src/face/film/film-ticks.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { type PcmAudio, readWav, writeWav } from "../../../src/signal/audio/wav.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { median } from "../../../src/signal/math/statistics.ts";
import { bakedFace } from "../../../test/helpers/faces/baked-face.ts";
import { folderSize } from "../../../test/helpers/packages/folder-size.ts";
import { withPackedProject } from "../../../test/helpers/packages/with-packed-project.ts";
import { withPackagePage } from "../../../test/helpers/pages/with-package-page.ts";
import { findChromium } from "../with-chromium.ts";
import type { Figure } from "./figure.ts";

const STARTS = 5;
const ROUNDS = 9;
const SPEECH = new URL("../../../test/fixtures/speech/weather-en.wav", import.meta.url);
/** Times from the start of the process, and that of opening alone, ms. */
const FIRST_FRAME = `
import { open } from "@open-avatar/engine";
const before = performance.now();
const avatar = await open("face.imx");
const openMs = performance.now() - before;
for await (const _ of avatar.render("said.wav")) {
  console.log(JSON.stringify([performance.now(), openMs]));
  break;
}`;
const PAGE = `
const longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
import { open } from "@open-avatar/engine";
const canvas = document.querySelector("canvas");
let shown = [];
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...image) { shown.push(performance.now()); put.apply(this, image); };
globalThis.first = (async () => {
  const avatar = globalThis.avatar = await open("face.imx");
  await avatar.show(canvas);
  return performance.now();
})();
globalThis.speak = async () => {
  shown = [];
  await avatar.speak("said.wav");
  return { fps: (1000 * (shown.length - 1)) / (shown.at(-1) - shown[0]), longestMs: Math.max(0, ...longTasks) };
};
`;

export async function measureEngine(): Promise<Figure[]> {
  const imx = await writeImx(await bakedFace("photograph"));
  const wav = await readFile(SPEECH);
  const long = repeated(readWav(wav), 3);
  return [
    ...(await measureArchive(imx, wav)),
    {
      name: "rendering in Node, of the bare engine's rate",
      value: await relativeRate(imx, long),
      unit: "%",
      goal: 95,
      better: "higher",
    },
    ...(findChromium() ? await measureTab(imx, writeWav(long)) : []),
  ];
}

async function measureArchive(imx: Uint8Array, wav: Uint8Array): Promise<Figure[]> {
  return withPackedProject({ packages: ["engine"] }, async (project) => {
    const { folder } = project;
    await writeFile(join(folder, "face.imx"), imx);
    await writeFile(join(folder, "said.wav"), wav);
    const runs: [number, number][] = [];
    for (let run = 0; run < STARTS; run++) runs.push(JSON.parse(await project.runModule(FIRST_FRAME)));
    const seconds = (index: 0 | 1) => rounded(median(runs.map((run) => run[index])) / 1000, 2);
    const installed = (await folderSize(join(folder, "node_modules"))) / 1e6;
    return [
      { name: "Node: process start to first frame", value: seconds(0), unit: "s", goal: 0.6, better: "lower" },
      { name: "Node: open", value: seconds(1), unit: "s", goal: 0.2, better: "lower" },
      { name: "engine installed", value: rounded(installed, 1), unit: "MB", goal: 15, better: "lower" },
    ];
  });
}

/** CPU time of both, which take turns; the least of each, because other work on the machine only adds to it. */
async function relativeRate(imx: Uint8Array, audio: PcmAudio): Promise<number> {
  const packaged = await open(new Uint8Array(imx));
  const runtime = createNodeRuntime();
  const avatar = await openAvatar(await readImx(imx), runtime);
  const lipSyncModel = await loadLipSyncModel(8);
  const bare = async () => {
    const engine = await createEngine({ avatar, runtime, lipSyncModel });
    for await (const _ of filmTicks(engine, { audio }));
    await engine.close();
  };
  const ours = async () => {
    for await (const _ of packaged.render(audio));
  };
  await cost(bare);
  await cost(ours);
  let [bareLeast, oursLeast] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    bareLeast = Math.min(bareLeast, await cost(bare));
    oursLeast = Math.min(oursLeast, await cost(ours));
  }
  await packaged.close();
  await avatar.close();
  return rounded((100 * bareLeast) / oursLeast, 1);
}

async function measureTab(imx: Uint8Array, wav: Uint8Array): Promise<Figure[]> {
  const flags = ["--autoplay-policy=no-user-gesture-required"];
  return withPackagePage(
    { script: PAGE, files: { "face.imx": imx, "said.wav": wav }, flags },
    async ({ page, browser }) => {
      const firsts: number[] = [];
      for (let load = 0; load < STARTS; load++) {
        if (load > 0) await page.reload();
        firsts.push(await page.evaluate<number>("first"));
      }
      const system = await browser.newBrowserCDPSession();
      const cpuS = async () => {
        const { processInfo } = await system.send("SystemInfo.getProcessInfo");
        return Math.max(...processInfo.filter(({ type }) => type === "renderer").map(({ cpuTime }) => cpuTime));
      };
      const [beforeS, startedMs] = [await cpuS(), performance.now()];
      const { fps, longestMs } = await page.evaluate<{ fps: number; longestMs: number }>("speak()");
      const share = (100_000 * ((await cpuS()) - beforeS)) / (performance.now() - startedMs);
      return [
        {
          name: "tab: page to first frame, files cached",
          value: rounded(median(firsts) / 1000, 2),
          unit: "s",
          goal: 0.5,
          better: "lower",
        },
        {
          name: "tab: longest task of the page's thread",
          value: rounded(longestMs, 0),
          unit: "ms",
          goal: 50,
          better: "lower",
        },
        { name: "tab: frames shown while it speaks", value: rounded(fps, 1), unit: "fps", goal: 25, better: "higher" },
        {
          name: "tab: CPU of its process while it speaks",
          value: rounded(share, 0),
          unit: "%",
          goal: 20,
          better: "lower",
        },
      ];
    },
  );
}

/** The sentence several times. */
function repeated({ samples, sampleRateHz }: PcmAudio, times: number): PcmAudio {
  return {
    samples: Int16Array.from({ length: times * samples.length }, (_, k) => samples[k % samples.length]),
    sampleRateHz,
  };
}

async function cost(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
