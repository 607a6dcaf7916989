// The console of a running service, signed in as its operator: how much it loads, how soon it is there, and what
// Lighthouse and axe say.
import type { Browser, BrowserContext, Cookie, Page } from "playwright-core";
import { axeViolations } from "../../page-sheet/axe-violations.ts";
import type { DrivenService } from "../service/own-service.ts";
import { consoleCookie } from "./console-cookie.ts";
import { type Figure, figure, type Metric, metric } from "./figures.ts";
import { measureFirstView } from "./first-view.ts";
import { type LighthouseScores, measureLighthouse } from "./lighthouse.ts";

const GOALS = { firstViewKb: 200, readyMs: 2000, changeMs: 1000, performance: 90, others: 100, violations: 0 } as const;
const THEMES = [
  { colorScheme: "light" },
  { colorScheme: "dark" },
  { colorScheme: "light", forcedColors: "active" },
] as const;
/** Longer than any view takes, also on a busy machine. */
const VIEW_TIMEOUT_MS = 60_000;
/** Until what a view asks for is there; the stream of changes never ends, so the network is never idle. */
const SETTLE_MS = 1_500;
/** Changes that are timed. */
const CHANGES = 10;

export interface ConsoleMetrics {
  first_view_kb: Figure & { header_kb: number; content_kb: number; requests: number };
  /** From the address to the title of the first view. */
  ready_ms: Metric;
  lighthouse: { performance: Figure; accessibility: Figure; best_practices: Figure };
  /** Of all views, by day, by night and with forced colours. */
  axe_violations: Figure & { found: string[] };
  /** From the answer to a change of an agent's name until the page shows it. */
  change_visible_ms: Metric;
}

/** Throws Error if the console does not show its views in time. */
export async function benchConsole(browser: Browser, service: DrivenService, times: number): Promise<ConsoleMetrics> {
  const { baseUrl } = service.client;
  const cookie = await consoleCookie(service);
  const first = await measureFirstView(browser, `${baseUrl}/console`, [cookie]);
  const scores = await measureLighthouse(`${baseUrl}/console`, `${cookie.name}=${cookie.value}`);
  return {
    first_view_kb: {
      ...figure(first.bytes / 1000, GOALS.firstViewKb),
      header_kb: Math.round(first.headerBytes / 1000),
      content_kb: Math.round(first.contentBytes / 1000),
      requests: first.requests,
    },
    ready_ms: metric(await repeat(times, () => measureReady(browser, baseUrl, cookie)), GOALS.readyMs),
    lighthouse: toFigures(scores),
    axe_violations: await checkViews(browser, baseUrl, cookie),
    change_visible_ms: metric(await measureChanges(browser, service, cookie), GOALS.changeMs),
  };
}

async function measureReady(browser: Browser, baseUrl: string, cookie: Cookie): Promise<number> {
  return withTab(browser, cookie, {}, async (page) => {
    const startMs = performance.now();
    await page.goto(`${baseUrl}/console`, { waitUntil: "commit" });
    await page.locator("main h1").first().waitFor();
    return performance.now() - startMs;
  });
}

async function checkViews(
  browser: Browser,
  baseUrl: string,
  cookie: Cookie,
): Promise<ConsoleMetrics["axe_violations"]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await withTab(browser, cookie, theme, async (page) => {
      await page.goto(`${baseUrl}/console`);
      const links = page.locator("nav.menu-column li a");
      await links.first().waitFor();
      // Those that this installation has.
      const views = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
      for (const view of views) {
        await page.goto(new URL(view, baseUrl).href, { waitUntil: "load" });
        await page.locator("main h1").first().waitFor();
        await page.waitForTimeout(SETTLE_MS);
        const name = `${view}, ${"forcedColors" in theme ? "forced colours" : theme.colorScheme}`;
        for (const violation of await axeViolations(page)) found.push(`${name}: ${violation}`);
      }
    });
  }
  return { ...figure(found.length, GOALS.violations), found };
}

/** Times of changes that are made by the API beside an open list. */
async function measureChanges(browser: Browser, service: DrivenService, cookie: Cookie): Promise<number[]> {
  const { client, apiSecret, agentCode } = service;
  return withTab(browser, cookie, {}, async (page) => {
    await page.goto(`${client.baseUrl}/console/agents`);
    await page.locator("main h1").first().waitFor();
    return repeat(CHANGES, async (index) => {
      const name = `Renamed ${index}`;
      const answer = await fetch(`${client.baseUrl}/v1/agent/${agentCode}`, {
        method: "POST",
        headers: { "content-type": "application/json", "api-secret": apiSecret },
        body: JSON.stringify({ name }),
      });
      if (!answer.ok) throw new Error(`renaming answered ${answer.status}`);
      const startMs = performance.now();
      await page.getByText(name, { exact: true }).first().waitFor();
      return performance.now() - startMs;
    });
  });
}

async function repeat(times: number, measure: (index: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < times; index++) values.push(await measure(index));
  return values;
}

type ContextOptions = NonNullable<Parameters<Browser["newContext"]>[0]>;

async function withTab<T>(
  browser: Browser,
  cookie: Cookie,
  options: ContextOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  try {
    await context.addCookies([cookie]);
    const page = await context.newPage();
    page.setDefaultTimeout(VIEW_TIMEOUT_MS);
    return await work(page);
  } finally {
    await context.close();
  }
}

function toFigures({ performance, accessibility, bestPractices }: LighthouseScores): ConsoleMetrics["lighthouse"] {
  return {
    performance: figure(performance, GOALS.performance),
    accessibility: figure(accessibility, GOALS.others),
    best_practices: figure(bestPractices, GOALS.others),
  };
}
