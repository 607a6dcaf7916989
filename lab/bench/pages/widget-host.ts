// What a widget costs the page that it is on, before it is opened.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Browser } from "playwright-core";
import type { WidgetSite } from "./widget-site.ts";

/** After the page is there, nothing more happens. */
const SETTLE_MS = 1_000;
const TIMEOUT_MS = 30_000;
const WATCH_SHIFTS = `
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) layoutShift += value;
  }).observe({ type: "layout-shift", buffered: true });
`;
const COUNT_REQUESTS =
  "performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length";

export interface WidgetHostCost {
  /** Script and picture. */
  requests: number;
  /** As browsers sum it up; 0 if nothing moved. */
  layoutShift: number;
  /** CPU time of the page's main thread with the widget, and without it, ms. */
  threadMs: number[];
  bareThreadMs: number[];
}

/** Bytes of the script over the wire, compressed. Throws Error if the service sends it otherwise. */
export async function widgetScriptBytes(baseUrl: string): Promise<number> {
  const request = get(`${baseUrl}/widget.js`, { headers: { "accept-encoding": "br" } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  if (response.headers["content-encoding"] !== "br") throw new Error("the widget's script is not compressed");
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  return bytes;
}

/** Each visit has a browser profile of its own. */
export async function measureWidgetHost(browser: Browser, site: WidgetSite, visits: number): Promise<WidgetHostCost> {
  const cost: WidgetHostCost = { requests: 0, layoutShift: 0, threadMs: [], bareThreadMs: [] };
  for (let visit = 0; visit < visits; visit++) {
    const bare = await measureVisit(browser, site.without);
    const full = await measureVisit(browser, `${site.withWidget}stream`);
    cost.bareThreadMs.push(bare.threadMs);
    cost.threadMs.push(full.threadMs);
    cost.requests = full.requests;
    cost.layoutShift = Math.max(cost.layoutShift, full.layoutShift);
  }
  return cost;
}

async function measureVisit(browser: Browser, address: string) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.addInitScript(WATCH_SHIFTS);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(address, { waitUntil: "load" });
    await page.waitForTimeout(SETTLE_MS);
    const { metrics } = await devtools.send("Performance.getMetrics");
    return {
      threadMs: 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0),
      requests: (await page.evaluate(COUNT_REQUESTS)) as number,
      layoutShift: (await page.evaluate("layoutShift")) as number,
    };
  } finally {
    await context.close();
  }
}
