// States of the console's films, voices, gestures and knowledge bases.
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

/** Opens a view as the operator. */
async function openView(page: Page, { baseUrl, apiSecret }: SheetService, path: string): Promise<void> {
  await page.goto(`${baseUrl}/console/${path}`);
  await page.getByLabel("API secret").fill(apiSecret);
  await page.getByLabel("API secret").press("Enter");
}

/** Makes an organization where there is none. */
async function openKnowledge(page: Page, service: SheetService): Promise<void> {
  await openView(page, service, "knowledge");
  const name = page.getByLabel("Name of the organization");
  const add = page.getByRole("button", { name: /^Add documents/ }).first();
  await name.or(add).waitFor();
  if (await name.isVisible()) {
    await name.fill("Museum of the Sea");
    await name.press("Enter");
    await add.waitFor();
  }
}

/** Adds a document, to a base of its own at first. */
async function addDocument(page: Page): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page
    .getByRole("button", { name: /^Add documents/ })
    .first()
    .click();
  const text = "# Opening hours\n\nThe museum opens at nine. On Mondays it is closed.\n";
  await (await chooser).setFiles([
    { name: "handbook.md", mimeType: "text/markdown", buffer: Buffer.from(text) },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.from("") },
  ]);
  await page.getByText("handbook.md was added.").waitFor();
}

export const CONSOLE_MEDIA_STATES: readonly PageState[] = [
  {
    name: "console, knowledge, no organization",
    async open(page, service) {
      // What another size has made is hidden.
      await page.route("**/v2/users/*/organizations", (route) =>
        route.fulfill({ json: { organizations: [], total: 0 } }),
      );
      await openView(page, service, "knowledge");
      await page.getByLabel("Name of the organization").waitFor();
    },
  },
  {
    name: "console, knowledge, documents are added",
    async open(page, service) {
      await openKnowledge(page, service);
      await addDocument(page);
    },
  },
  {
    name: "console, knowledge base, searched",
    async open(page, service) {
      await openKnowledge(page, service);
      await page.getByRole("link", { name: "handbook" }).first().click();
      await page.getByText("Searches cover all its documents.").waitFor();
      await page.getByLabel("What would someone ask?").fill("When does the museum open?");
      await page.keyboard.press("Enter");
      await page.getByText(/passages? found/).waitFor();
    },
  },
  {
    name: "console, knowledge, all documents",
    async open(page, service) {
      await openKnowledge(page, service);
      await page.getByRole("link", { name: "All documents" }).click();
      await page.getByText(/used$/).first().waitFor();
    },
  },
  {
    name: "console, voices",
    async open(page, service) {
      await openView(page, service, "voices");
      await page.getByRole("button", { name: "Hear Aria" }).click();
      await page.getByRole("button", { name: "Download what Aria said" }).waitFor();
      await page.getByLabel("Compare Aria").check();
      await page.getByLabel("Compare Sophie").check();
    },
  },
  {
    name: "console, voices, offline",
    async open(page, service) {
      await openView(page, service, "voices");
      await page.getByRole("button", { name: "Hear Aria" }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "Hear Aria" }).click();
      await page.getByRole("alert").first().waitFor();
    },
  },
  {
    name: "console, films",
    async open(page, service) {
      await openView(page, service, "films");
      await page.getByRole("button", { name: /^Agent: / }).click();
      await page.getByRole("dialog").locator(".agent-card").first().click();
      await page.getByLabel("Text", { exact: true }).fill("Welcome to the museum.");
      await page.getByText(/credits for each started minute/).waitFor();
    },
  },
  {
    name: "console, gestures, choose an agent",
    async open(page, service) {
      await openView(page, service, "gestures");
      await page.locator(".agent-card").first().waitFor();
    },
  },
  {
    name: "console, gestures of an agent",
    async open(page, service) {
      await openView(page, service, "gestures");
      await page.locator(".agent-card").first().click();
      await page.getByText(/credits for all of them/).waitFor();
    },
  },
];
