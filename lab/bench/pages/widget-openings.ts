// How soon a widget shows its face once it is opened, beside a session without a page.
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { z } from "zod";
import type { DrivenService } from "../service/own-service.ts";
import { waitUntilAsync } from "../service/wait-until-async.ts";
import { measureStart } from "../session-bench.ts";
import type { WidgetSite } from "./widget-site.ts";

/** The worker makes its next process ready. */
const BETWEEN_VISITORS_MS = 4_000;
/** A session ends some seconds after its visitor has left. */
const END_TIMEOUT_MS = 60_000;
/** The visitor sees the page before the widget is opened. */
const BEFORE_OPENING_MS = 1_500;
const TIMEOUT_MS = 60_000;
/** In every document: when a face takes the photograph's place, ms since the epoch. */
const WATCH_FACE = `
  new MutationObserver(() => {
    if (document.querySelector(".stage[data-face=alive]")) globalThis.faceAtMs ??= performance.timeOrigin + performance.now();
  }).observe(document, { subtree: true, childList: true, attributeFilter: ["data-face"] });
`;
const sessionsSchema = z.object({ sessions: z.array(z.unknown()) });
const OPEN = "(() => { const atMs = performance.timeOrigin + performance.now(); AvatarWidget.open(); return atMs; })()";

/** Times to the first frame, ms. */
export interface WidgetOpenings {
  /** Of a session that is launched into a room where a listener waits. */
  sessionMs: number[];
  streamedMs: number[];
  localMs: number[];
  /** The second time in the same browser profile. */
  cachedMs: number[];
}

/** Visitors one after the other; each kind in turn, so that all meet the same machine. */
export async function measureWidgetOpenings(
  browser: Browser,
  { service, site, visitors }: { service: DrivenService; site: WidgetSite; visitors: number },
): Promise<WidgetOpenings> {
  const times: WidgetOpenings = { sessionMs: [], streamedMs: [], localMs: [], cachedMs: [] };
  for (let visitor = 0; visitor < visitors; visitor++) {
    await untilIdle(service);
    times.sessionMs.push(await measureStart(service));
    const openTimes = (render: string, count: number) =>
      measureProfile(browser, service, site.withWidget + render, count);
    times.streamedMs.push(...(await openTimes("stream", 1)));
    const [first, second] = await openTimes("local", 2);
    times.localMs.push(first);
    times.cachedMs.push(second);
  }
  return times;
}

/** Times of one browser profile. */
async function measureProfile(
  browser: Browser,
  service: DrivenService,
  address: string,
  count: number,
): Promise<number[]> {
  const context = await browser.newContext();
  try {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      await untilIdle(service);
      times.push(await openOnce(context, address));
    }
    return times;
  } finally {
    await context.close();
  }
}

async function openOnce(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(WATCH_FACE);
  await page.goto(address, { waitUntil: "load" });
  await page.waitForTimeout(BEFORE_OPENING_MS);
  const openedAtMs = (await page.evaluate(OPEN)) as number;
  const faceAtMs = await untilFace(page);
  const isLocal = address.endsWith("local");
  const canvases = await page.frameLocator("avatar-widget iframe").locator("canvas.stage-face").count();
  if (canvases !== (isLocal ? 1 : 0)) throw new Error(`the face is ${isLocal ? "streamed" : "rendered by the tab"}`);
  await page.evaluate("AvatarWidget.close()");
  await page.locator("avatar-widget iframe").waitFor({ state: "detached" });
  await page.close();
  return faceAtMs - openedAtMs;
}

/** Waits until the agent has no session and the worker is ready for the next. Throws Error after a minute. */
async function untilIdle({ client, apiSecret, agentCode }: DrivenService): Promise<void> {
  const hasNone = async () => {
    const path = `/v1/agent/${agentCode}/sessions`;
    const answer = await fetch(`${client.baseUrl}${path}`, { headers: { "api-secret": apiSecret } });
    return sessionsSchema.parse(await answer.json()).sessions.length === 0;
  };
  await waitUntilAsync(hasNone, "the session of before has ended", END_TIMEOUT_MS);
  await delay(BETWEEN_VISITORS_MS);
}

async function untilFace(page: Page): Promise<number> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < endMs) {
    for (const frame of page.frames()) {
      const atMs = await frame.evaluate("globalThis.faceAtMs").catch(() => undefined); // It is being loaded.
      if (typeof atMs === "number") return atMs;
    }
    await page.waitForTimeout(50);
  }
  throw new Error(`no face within ${TIMEOUT_MS / 1000} s`);
}
