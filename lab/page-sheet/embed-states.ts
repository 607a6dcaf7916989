// States of the embed page. What only another visitor or a broken network brings about is answered in the service's
// place.
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

const BUSY = {
  status: 503,
  headers: { "retry-after": "30" },
  contentType: "application/json",
  body: JSON.stringify({ error: { code: "SERVICE_UNAVAILABLE", message: "No avatar worker has a free slot." } }),
};

export const EMBED_STATES: readonly PageState[] = [
  {
    name: "embed, connecting",
    async open(page, service) {
      await page.route("**/embed/session", () => undefined);
      await openDemo(page, service, "connecting");
      await page.locator(".stage-poster").waitFor();
    },
  },
  {
    name: "embed, live",
    languages: ["de", "es"],
    async open(page, service) {
      await openDemo(page, service, "live");
      await page.locator(".line").first().waitFor({ state: "attached" });
    },
  },
  {
    name: "embed, listening",
    async open(page, service) {
      await openDemo(page, service, "live");
      await page.locator("#microphone").click();
      await page.getByText("Listening").first().waitFor();
    },
  },
  {
    name: "embed, transcript",
    async open(page, service) {
      await openDemo(page, service, "live");
      await page.locator("#text").fill("What can I do here?");
      await page.locator("#send").click();
      if (!(await page.locator("#transcript").isVisible())) await page.locator("#words").click();
      await page.locator(".line[data-speaker=visitor]").waitFor();
    },
  },
  {
    name: "embed, puppet",
    async open(page, service) {
      await openDemo(page, service, "live");
      await page.locator("#puppet").click();
      await page.getByText("Say it").waitFor();
    },
  },
  {
    name: "embed, busy",
    languages: ["de", "es"],
    async open(page, service) {
      await page.route("**/embed/session", (route) => route.fulfill(BUSY));
      await openDemo(page, service, "ended");
      await page.locator(".stage-poster").waitFor();
    },
  },
  {
    name: "embed, no connection",
    async open(page, service) {
      await page.route("**/embed/session", (route) => route.abort());
      await openDemo(page, service, "ended");
    },
  },
  {
    name: "embed, ended",
    async open(page, service) {
      await openDemo(page, service, "live");
      await page.locator(".line").first().waitFor({ state: "attached" });
      await page.locator("#end").click();
      await page.getByRole("button", { name: "Talk again" }).waitFor();
    },
  },
  {
    name: "embed, incomplete link",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/embed/demo`);
      await page.locator("#page[data-state=ended]").waitFor();
    },
  },
];

async function openDemo(page: Page, { baseUrl }: SheetService, state: string): Promise<void> {
  await page.goto(`${baseUrl}/demo`);
  await page.locator(`#page[data-state=${state}]`).waitFor();
}
