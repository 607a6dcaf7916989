// The console's view Create with clicks at once: from the picture to the avatar's first word, and where the time goes.
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import type { DrivenService } from "../service/own-service.ts";
import { giveSenses, untilNoticed } from "./tab-senses.ts";

/** A photograph of 512 × 512 pixels. */
const PICTURE = fileURLToPath(new URL("../../../test/fixtures/portraits/astronaut.png", import.meta.url));
const TIMEOUT_MS = 60_000;
/** The session of one avatar ends before the next begins. */
const BETWEEN_MS = 6_000;

/** Each from the picture on, ms. */
export interface CreateTimes {
  /** The face in the tab is made; the buttons can be pressed. */
  chosenMs: number[];
  /** The service has taken the order. */
  acceptedMs: number[];
  /** The service has made the avatar; its page is opened. */
  madeMs: number[];
  /** Its first word. */
  wordMs: number[];
}

export async function measureCreateView(
  browser: Browser,
  { client }: Pick<DrivenService, "client">,
  times: number,
): Promise<CreateTimes> {
  const measured: CreateTimes = { chosenMs: [], acceptedMs: [], madeMs: [], wordMs: [] };
  for (let i = 0; i < times; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await giveSenses(page);
    await signIn(page, client.baseUrl, client.apiSecret);
    await page.goto(`${client.baseUrl}/console/create`);
    await page.locator("#create[data-state=empty]").waitFor();
    // The visitor reaches for the picture: a mouse over the place for it.
    await page.locator("#drop").hover();
    await page.waitForTimeout(1000);
    const accepted = page.waitForResponse((answer) => answer.url().endsWith("/v1/agent/generate"));
    const pictureMs = Date.now();
    await page.locator("#file").setInputFiles(PICTURE);
    await page.locator("#create[data-state=chosen]").waitFor();
    measured.chosenMs.push(Date.now() - pictureMs);
    await page.locator("#voices label").first().click();
    await page.locator("#make").click();
    await accepted;
    measured.acceptedMs.push(Date.now() - pictureMs);
    await page.locator("#create[data-state=talking]").waitFor();
    measured.madeMs.push(Date.now() - pictureMs);
    measured.wordMs.push((await untilNoticed(page, "heardAtMs", TIMEOUT_MS)) - pictureMs);
    await context.close();
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  }
  return measured;
}

async function signIn(page: Page, baseUrl: string, secret: string): Promise<void> {
  await page.goto(`${baseUrl}/console`);
  const status = await page.evaluate(
    `fetch("/console/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret: ${JSON.stringify(secret)} }),
    }).then(({ status }) => status)`,
  );
  if (status !== 200) throw new Error(`signing in was answered ${status}`);
}
