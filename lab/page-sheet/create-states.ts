// States of the console's view Create that the start page does not have, or has otherwise.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { give, makeItTalk, untilAlive, untilState } from "../../test/helpers/pages/start-page.ts";
import type { PageState, SheetService } from "./page-state.ts";

const PORTRAIT = join(import.meta.dirname, "../../models/portraits/hana.png");
/** What the service answers to an account with few credits; the sheet's own has many. */
const POOR = { success: true, data: { balance: 120, is_enterprise: false } };
const FAILED = {
  success: true,
  data: {
    code: "sheet",
    name: "Hana",
    status: "failed",
    progress: 0.7,
    progress_msg: "Failed",
    error_message: "Failed at lip sync: The mouth is covered.",
  },
};
const LEDGER = { success: true, data: [{ credits_change: -500 }, { credits_change: 500 }] };

async function open(page: Page, { baseUrl, apiSecret }: SheetService): Promise<void> {
  await page.goto(`${baseUrl}/console/create`);
  await page.getByLabel("API secret").fill(apiSecret);
  await page.getByLabel("API secret").press("Enter");
  await untilAlive(page);
}

async function choose(page: Page, service: SheetService): Promise<void> {
  await open(page, service);
  await give(page, "drop", { name: "portrait.png", type: "image/png", bytes: await readFile(PORTRAIT) });
  await untilState(page, "chosen");
  await untilAlive(page);
}

export const CREATE_STATES: readonly PageState[] = [
  { name: "console, create", open },
  { name: "console, create, a face of one's own", open: choose },
  {
    name: "console, create, in words",
    async open(page, service) {
      await open(page, service);
      await page.locator("#describe-open").click();
      await untilState(page, "describing");
    },
  },
  {
    name: "console, create, too little credit",
    async open(page, service) {
      await page.route("**/v2/credit-summaries", (route) => route.fulfill({ json: POOR }));
      await choose(page, service);
      await makeItTalk(page);
      await untilState(page, "refused");
    },
  },
  {
    name: "console, create, failed and refunded",
    async open(page, service) {
      await page.route("**/v1/agent/generate", (route) =>
        route.fulfill({ json: { success: true, agent_id: "sheet" } }),
      );
      await page.route("**/v1/agent/status/sheet", (route) => route.fulfill({ json: FAILED }));
      await page.route("**/v1/usage?*", (route) => route.fulfill({ json: LEDGER }));
      await choose(page, service);
      await makeItTalk(page);
      await page.locator("#refund:not(:empty)").waitFor();
    },
  },
  {
    name: "console, create, another model",
    async open(page, service) {
      await open(page, service);
      await page.locator("#describe-open").click();
      await page.locator("#prompt").fill("A red fox");
      await page.locator('#describe button[type="submit"]').click();
      await page.locator("#make-drawn").waitFor();
    },
  },
  {
    name: "console, create, talking",
    async open(page, service) {
      await choose(page, service);
      await makeItTalk(page);
      await untilState(page, "talking");
      await page.locator("#next").waitFor({ timeout: 60_000 });
    },
  },
];
