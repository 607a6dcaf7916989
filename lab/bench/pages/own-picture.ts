// A visitor's own picture on the start page: how soon it moves in the tab, and how soon it speaks.
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { forgetSenses, giveSenses, untilNoticed } from "./tab-senses.ts";

/** A photograph of 512 × 512 pixels. */
const PICTURE = fileURLToPath(new URL("../../../test/fixtures/portraits/astronaut.png", import.meta.url));
const TIMEOUT_MS = 60_000;
const LISTENING_MS = 2_000;
/** The session of one avatar ends before the next begins. */
const BETWEEN_MS = 6_000;

export interface OwnPictureTimes {
  /** From the picture to a face that moves in the tab, ms. */
  movesMs: number[];
  /** From "Make it talk" to its first word, ms. */
  speaksMs: number[];
}

export async function measureOwnPicture(browser: Browser, baseUrl: string, times: number): Promise<OwnPictureTimes> {
  const movesMs: number[] = [];
  const speaksMs: number[] = [];
  for (let i = 0; i < times; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await giveSenses(page);
    await page.goto(`${baseUrl}/`);
    await page.locator("#create[data-state=empty]").waitFor();
    // The visitor reaches for the picture: a mouse over the place for it.
    await page.locator("#drop").hover();
    await page.waitForTimeout(1000);
    const pictureMs = Date.now();
    await page.locator("#file").setInputFiles(PICTURE);
    // Until then the face that moves is the one of before.
    await page.locator("#create[data-state=chosen]").waitFor();
    await forgetSenses(page);
    movesMs.push((await untilNoticed(page, "movedAtMs", TIMEOUT_MS)) - pictureMs);
    // The visitor listens to a voice before the order; the page says its clip without an audio element.
    await page.locator("#voices label").first().click();
    await page.waitForTimeout(LISTENING_MS);
    await forgetSenses(page);
    const orderMs = Date.now();
    await page.locator("#make").click();
    speaksMs.push((await untilNoticed(page, "heardAtMs", TIMEOUT_MS)) - orderMs);
    await context.close();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  return { movesMs, speaksMs };
}
