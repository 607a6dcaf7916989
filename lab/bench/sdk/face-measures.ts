// What `<avatar-face>` costs a page, and how well mouth and voice keep together there.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../../test/helpers/faces/baked-face.ts";
import { RECORD_FACE_ELEMENT } from "../../../test/helpers/pages/face-element-sync.ts";
import { measureTabFace } from "../../../test/helpers/pages/tab-face-sync.ts";
import { withFacePages } from "../../../test/helpers/pages/with-face-pages.ts";
import { speakSentences } from "../../../test/helpers/speech/spoken.ts";
import type { Figure } from "./figure.ts";

const SPEECH = [
  "Papa bought five open boxes. Oh, my mother always heard a far piano, and we saw a big brown owl go by.",
  "Papa bought a map of Panama, and my mother saw a big open boat. Oh, far away, an owl hummed all morning.",
];
const SCRIPTS = ["avatar-face.js", "face-worker.js", "voice-tap-worklet.js"];
const ASSETS = ["rig.wasm", "lip-sync.wasm", "resample.wasm", "lip-sync.8bit.bin"];
/** The avatar's file, of the size for which the goal is set. */
const BUNDLE_BYTES = 1_800_000;
const MEASURED_MS = 24_000;
/** What viewers take for together. */
const [EARLIEST_MS, LATEST_MS] = [-125, 45];

const BODY = `<avatar-face src="face.imx"></avatar-face><audio src="voice.wav" loop></audio>`;
/** Keeps when the face showed and the longest task of the page's thread. */
const WATCH = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });
  globalThis.ready = new Promise((resolve) => {
    document.addEventListener("ready", () => {
      const [script] = performance.getEntriesByName(new URL("/avatar-face.js", location.href).href);
      resolve(performance.now() - script.startTime);
    }, true);
  });
`;

export async function measureFace(): Promise<Figure[]> {
  const spoken = await speakSentences(SPEECH, ["F1"]);
  const { sampleRateHz } = spoken[0];
  const samples = Int16Array.from(spoken.flatMap((part) => [...part.samples]));
  const files = {
    "face.imx": await writeImx(await bakedFace("photograph")),
    "voice.wav": writeWav({ samples, sampleRateHz }),
  };
  return withFacePages({ files }, async ({ browser, folder, open }) => {
    const size = async (name: string) => brotliCompressSync(await readFile(join(folder, name))).length;
    const sizes = async (names: readonly string[]) =>
      (await Promise.all(names.map(size))).reduce((sum, one) => sum + one, 0);
    const scriptBytes = await sizes(SCRIPTS);
    const firstBytes = scriptBytes + (await sizes(ASSETS)) + BUNDLE_BYTES;
    // The first visit fills the browser's caches.
    const { page } = await open({ body: BODY, initScript: WATCH + RECORD_FACE_ELEMENT });
    await page.evaluate("ready");
    await page.reload();
    const firstFrameMs = (await page.evaluate("ready")) as number;
    const cpuShare = await speak(page, browser);
    const { fps, offsetsMs } = await measureTabFace(page);
    const within = offsetsMs.filter((offset) => offset >= EARLIEST_MS && offset <= LATEST_MS).length;
    return [
      { name: "face: script (brotli)", value: rounded(scriptBytes / 1000, 1), unit: "KB", goal: 60, better: "lower" },
      {
        name: "face: all of a first face",
        value: rounded(firstBytes / 1e6, 2),
        unit: "MB",
        goal: 3.6,
        better: "lower",
      },
      {
        name: "face: script to first frame",
        value: rounded(firstFrameMs / 1000, 2),
        unit: "s",
        goal: 0.5,
        better: "lower",
      },
      {
        name: "face: longest task of the page's thread",
        value: (await page.evaluate("longestTaskMs")) as number,
        unit: "ms",
        goal: 50,
        better: "lower",
      },
      // The recording sees every change of the canvas, some a refresh late.
      { name: "face: frames a second", value: rounded(fps, 1), unit: "fps", goal: 25, better: "higher" },
      {
        name: "face: CPU of the tab's process",
        value: rounded(100 * cpuShare, 1),
        unit: "%",
        goal: 20,
        better: "lower",
      },
      {
        name: `face: A/V offsets between ${EARLIEST_MS} and ${LATEST_MS} ms`,
        value: rounded((100 * within) / offsetsMs.length, 1),
        unit: "%",
        goal: 95,
        better: "higher",
      },
    ];
  });
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Lets it speak, for the CPU time of its process (share of a core) first without the recording, then with it. */
async function speak(page: Page, browser: Browser): Promise<number> {
  await page.mouse.click(5, 5);
  await page.evaluate(`
    globalThis.face = document.querySelector("avatar-face");
    face.source = document.querySelector("audio");
    face.source.play();
  `);
  const beforeMs = await cpuMs(browser);
  const startMs = performance.now();
  await page.waitForTimeout(MEASURED_MS / 2);
  const share = ((await cpuMs(browser)) - beforeMs) / (performance.now() - startMs);
  await page.evaluate(`startRecordingFace(face.shadowRoot.querySelector("canvas"))`);
  await page.waitForTimeout(MEASURED_MS);
  return share;
}

/** Of the process with the face, which uses more than any other renderer. */
async function cpuMs(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  return 1000 * Math.max(...processInfo.filter(({ type }) => type === "renderer").map(({ cpuTime }) => cpuTime));
}
