// States of the console's views that talk, play and share.
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

const NO_CREDIT = {
  status: 402,
  contentType: "application/json",
  body: JSON.stringify({
    error: { code: "PAYWALL", message: "No minutes are left.", topup_url: "https://avatars.example/topup" },
  }),
};

async function openView(page: Page, { baseUrl, apiSecret }: SheetService, path: string): Promise<void> {
  await page.goto(`${baseUrl}/console/${path}`);
  await page.getByLabel("API secret").fill(apiSecret);
  await page.getByLabel("API secret").press("Enter");
}

/** The first agent of the list: the demo's. */
async function openAgent(page: Page, service: SheetService, view: "talk" | "share"): Promise<void> {
  await openView(page, service, view);
  await page.locator(".cards a").first().click();
}

export const CONSOLE_TALK_STATES: readonly PageState[] = [
  {
    name: "console, talk, choice",
    async open(page, service) {
      await openView(page, service, "talk");
      await page.locator(".cards a").first().waitFor();
    },
  },
  {
    name: "console, talk, a turn",
    async open(page, service) {
      await openAgent(page, service, "talk");
      const talk = page.frameLocator(".talk-frame");
      await talk.locator('#page[data-state="live"]').waitFor();
      await talk.locator("#text").fill("What can you do?");
      await talk.locator("#send").click();
      await page.getByRole("heading", { name: "Turn 1" }).waitFor();
      await page.locator(".turns summary").first().click();
      await page.locator(".turns li h3").first().scrollIntoViewIfNeeded();
    },
  },
  {
    name: "console, talk, without credit",
    async open(page, service) {
      await page.route("**/embed/session", (route) => route.fulfill(NO_CREDIT));
      await openAgent(page, service, "talk");
      await page.getByText("No minutes are left to talk with").waitFor();
    },
  },
  {
    name: "console, talk, offline",
    async open(page, service) {
      await page.route("**/embed/session", (route) => route.abort());
      await openAgent(page, service, "talk");
      await page.getByText("The service cannot be reached. The page tries again").waitFor();
    },
  },
  {
    name: "console, player, empty",
    async open(page, service) {
      await openView(page, service, "player");
      await page.getByText("Nothing is uploaded").waitFor();
    },
  },
  {
    name: "console, player, a sample",
    async open(page, service) {
      await openView(page, service, "player");
      const faces = page.getByLabel("Who says the recording");
      await faces.locator("option").nth(1).waitFor({ state: "attached" });
      await faces.selectOption({ index: 1 });
      await page.locator(".player-stage canvas").waitFor();
    },
  },
  {
    name: "console, player, a foreign file",
    async open(page, service) {
      await openView(page, service, "player");
      const buffer = Buffer.from("no face");
      await page.locator("input[type=file]").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer });
      await page.getByText("notes.txt is no .imx face").waitFor();
    },
  },
  {
    name: "console, share, not public",
    async open(page, service) {
      await page.route("**/sharing", (route) => route.fulfill({ json: { success: true, data: sharing(false) } }));
      await openAgent(page, service, "share");
      await page.getByText("This agent is not public").waitFor();
    },
  },
  {
    name: "console, share, public",
    async open(page, service) {
      await page.route("**/sharing", (route) => route.fulfill({ json: { success: true, data: sharing(true) } }));
      await openAgent(page, service, "share");
      await page.frameLocator(".preview-frame").locator("avatar-widget").waitFor({ state: "attached" });
    },
  },
  {
    name: "console, share, refused",
    async open(page, service) {
      await openView(page, service, "share/NONE");
      await page.getByRole("alert").first().waitFor();
    },
  },
];

function sharing(isPublic: boolean): object {
  return {
    is_public: isPublic,
    origins: isPublic ? ["https://shop.example"] : [],
    visitor_minutes_per_day: 30,
    sessions_per_day: 100,
    url: isPublic ? "https://avatars.example/share/demo" : null,
  };
}
