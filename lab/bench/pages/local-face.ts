// A face that the visitor's tab renders, in front of the whole service: how soon it is there, what it weighs, what it
// costs the tab, and how well mouth and voice keep together.
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { DrivenService } from "../service/own-service.ts";
import { measureTabOffsets, type TabOffsets } from "./tab-offsets.ts";

const TIMEOUT_MS = 60_000;
/** Longer than the session of a closed tab keeps its slot. */
const BETWEEN_VISITORS_MS = 6_000;
const MEASURED_MS = 24_000;
const LINE_PERIOD_MS = 9_500;
const SENTENCE =
  "Papa bought five open boxes. Oh, my mother always heard a far piano, and we saw a big brown owl go by.";
/** Keeps the longest task of the page's thread. */
const WATCH_TASKS = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });
`;

export interface LocalFaceTimes {
  /** From the request of the page to the first frame, which shows the face at rest, and to the first that follows the
   *  avatar, ms. */
  firstMs: number[];
  firstLiveMs: number[];
  /** The same if the browser has the files, ms. */
  cachedMs: number[];
  cachedLiveMs: number[];
  /** Bytes over the wire of the first view without the avatar's file, of that file, and of all of the second view. */
  bytes: number;
  bundleBytes: number;
  secondBytes: number;
}

export interface LocalFaceRun extends TabOffsets {
  /** CPU time of the tab's renderer process: share of a core, and for each frame that is shown, ms. */
  cpuShare: number;
  cpuMsPerFrame: number;
  longestTaskMs: number;
}

/** Visitors one after the other, each in a browser profile of their own, and a second time in the same one. */
export async function measureLocalStarts(
  browser: Browser,
  service: DrivenService,
  visitors: number,
): Promise<LocalFaceTimes> {
  const times: LocalFaceTimes = {
    firstMs: [],
    firstLiveMs: [],
    cachedMs: [],
    cachedLiveMs: [],
    bytes: 0,
    bundleBytes: 0,
    secondBytes: 0,
  };
  for (let visitor = 0; visitor < visitors; visitor++) {
    const context = await browser.newContext();
    const first = await open(context, service, `first ${visitor}`);
    times.firstMs.push(first.shownMs);
    times.firstLiveMs.push(first.liveMs);
    times.bytes = first.bytes;
    times.bundleBytes = first.bundleBytes;
    await first.page.close();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_VISITORS_MS));
    const second = await open(context, service, `second ${visitor}`);
    times.cachedMs.push(second.shownMs);
    times.cachedLiveMs.push(second.liveMs);
    times.secondBytes = second.bytes + second.bundleBytes;
    await context.close();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_VISITORS_MS));
  }
  return times;
}

/** Lets the avatar speak: first for the CPU time alone, then with the face and the audio sampled. `prepare` gets the
 *  browser profile before it has a page. */
export async function measureLocalFace(
  browser: Browser,
  service: DrivenService,
  prepare?: (context: BrowserContext) => Promise<void>,
): Promise<LocalFaceRun> {
  const context = await browser.newContext();
  try {
    await prepare?.(context);
    const { page } = await open(context, service, "speaking");
    // Browsers take seconds to settle how much audio they buffer.
    await speakFor(page, LINE_PERIOD_MS);
    const startCpuMs = await cpuMs(browser);
    const startMs = performance.now();
    await speakFor(page, MEASURED_MS);
    const spanMs = performance.now() - startMs;
    const usedMs = (await cpuMs(browser)) - startCpuMs;
    const longestTaskMs = (await page.evaluate("longestTaskMs")) as number;
    const offsets = await measureTabOffsets(page, () => speakFor(page, MEASURED_MS));
    const frames = (spanMs / 1000) * offsets.fps;
    return { ...offsets, cpuShare: usedMs / spanMs, cpuMsPerFrame: usedMs / frames, longestTaskMs };
  } finally {
    await context.close();
  }
}

interface OpenedPage {
  page: Page;
  shownMs: number;
  liveMs: number;
  bytes: number;
  bundleBytes: number;
}

/** Opens the page of a visitor whom a token names. Throws Error if another than the tab renders. */
async function open(context: BrowserContext, service: DrivenService, visitor: string): Promise<OpenedPage> {
  const { baseUrl } = service.client;
  const minted = await fetch(`${baseUrl}/v1/embed-tokens/request`, {
    method: "POST",
    headers: { "api-secret": service.apiSecret, "content-type": "application/json" },
    body: JSON.stringify({ agent_id: service.agentCode, fingerprint: `${visitor} ${Date.now()}` }),
  });
  const { data } = (await minted.json()) as { data: { token: string } };
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.addInitScript(WATCH_TASKS);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const bundles = new Set<string>();
  let bytes = 0;
  let bundleBytes = 0;
  devtools.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url.includes("/embed/bundle")) bundles.add(requestId);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (bundles.has(requestId)) bundleBytes += encodedDataLength;
    else bytes += encodedDataLength;
  });
  const startMs = performance.now();
  await page.goto(`${baseUrl}/embed/${service.agentCode}?render=local#token=${data.token}`, { waitUntil: "commit" });
  await page.locator(".stage[data-face=alive]").waitFor();
  const shownMs = performance.now() - startMs;
  await page.locator("#page[data-state=live]").waitFor();
  const liveMs = performance.now() - startMs;
  if ((await page.locator("canvas.stage-face").count()) === 0) throw new Error("the service streams the face");
  return { page, shownMs, liveMs, bytes, bundleBytes };
}

async function speakFor(page: Page, ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  if ((await page.locator("#puppet").getAttribute("aria-pressed")) !== "true") await page.locator("#puppet").click();
  while (performance.now() < untilMs) {
    const text = page.getByRole("textbox").first();
    await text.fill(SENTENCE);
    await text.press("Enter");
    await page.waitForTimeout(Math.min(LINE_PERIOD_MS, Math.max(0, untilMs - performance.now())));
  }
}

/** Of the process with the face, which uses more than any other renderer. */
async function cpuMs(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  return 1000 * Math.max(...processInfo.filter(({ type }) => type === "renderer").map(({ cpuTime }) => cpuTime));
}
