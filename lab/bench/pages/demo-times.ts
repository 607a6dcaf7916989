// How soon the demo shows its face: opened for the first time, and loaded again.
import type { Browser } from "playwright-core";
import { giveSenses, untilNoticed } from "./tab-senses.ts";

const TIMEOUT_MS = 30_000;
/** Longer than the session of a closed tab keeps its slot. */
const BETWEEN_VISITORS_MS = 6_000;
/** The visitor sees the face before the page is loaded again. */
const BETWEEN_RELOADS_MS = 1_500;

/** From the request of the page to the first frame, ms, for visitors one after the other. */
export async function measureDemoStarts(browser: Browser, baseUrl: string, visitors: number): Promise<number[]> {
  const times: number[] = [];
  for (let visitor = 0; visitor < visitors; visitor++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await giveSenses(page);
    const startMs = Date.now();
    await page.goto(`${baseUrl}/demo`, { waitUntil: "commit" });
    times.push((await untilNoticed(page, "movedAtMs", TIMEOUT_MS)) - startMs);
    await context.close();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_VISITORS_MS));
  }
  return times;
}

/** From each reload to the first frame of the same visitor's session, ms. */
export async function measureReloads(browser: Browser, baseUrl: string, reloads: number): Promise<number[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await giveSenses(page);
  await page.goto(`${baseUrl}/demo`, { waitUntil: "commit" });
  await untilNoticed(page, "movedAtMs", TIMEOUT_MS);
  const times: number[] = [];
  for (let reload = 0; reload < reloads; reload++) {
    await page.waitForTimeout(BETWEEN_RELOADS_MS);
    const startMs = Date.now();
    await page.reload({ waitUntil: "commit" });
    times.push((await untilNoticed(page, "movedAtMs", TIMEOUT_MS)) - startMs);
  }
  await context.close();
  return times;
}
