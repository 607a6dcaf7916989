// States of the API reference.
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

/** In the page: opens all folds of an operation. Opening one brings others, after its event. */
const unfold = (id: string) => `(async () => {
  const folded = () => document.getElementById("${id}").querySelectorAll("details.inner:not([open])");
  while (folded().length > 0) {
    for (const one of folded()) one.open = true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
})()`;

/** Opens an operation with an API secret, so that every request can be tried. */
async function openWithSecret(page: Page, { baseUrl, apiSecret }: SheetService, id: string): Promise<void> {
  await page.goto(`${baseUrl}/docs#${id}`);
  await page.locator(`[id="${id}"] .sample`).waitFor();
  const change = page.locator("#access-change");
  const secret = page.locator("#secret");
  await change.or(secret).first().waitFor();
  if (!(await secret.isVisible())) await change.click();
  await secret.fill(apiSecret);
  await secret.press("Enter");
  await page.locator("#access-state", { hasText: "with your API secret" }).waitFor();
}

async function tryIt(page: Page, id: string): Promise<void> {
  const operation = page.locator(`[id="${id}"]`);
  await operation.locator(".try-panel > summary").click();
  await operation.locator(".try button[type=submit]").click();
  await operation.locator(".answer").waitFor();
  await operation.locator(".try-panel").scrollIntoViewIfNeeded();
}

export const DOCS_STATES: readonly PageState[] = [
  {
    name: "docs, opened",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/docs`);
      await page.locator('[id="agents.generate"] .sample').waitFor();
    },
  },
  {
    name: "docs, an operation with all its fields",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/docs#agents.update`);
      const operation = page.locator('[id="agents.update"]');
      await operation.locator(".sample").waitFor();
      await operation.locator(".sample").getByRole("button", { name: "Python" }).click();
      await page.evaluate(unfold("agents.update"));
      await operation.scrollIntoViewIfNeeded();
    },
  },
  {
    name: "docs, a request tried",
    async open(page, service) {
      await openWithSecret(page, service, "accounts.me");
      await tryIt(page, "accounts.me");
    },
  },
  {
    name: "docs, a request refused",
    async open(page, service) {
      await openWithSecret(page, service, "sessions.get");
      await tryIt(page, "sessions.get");
    },
  },
  {
    name: "docs, found by a field",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/docs`);
      await page.locator('[id="agents.generate"] .sample').waitFor();
      const contents = page.locator("#contents-button");
      if (await contents.isVisible()) await contents.click();
      await page.locator("#filter").fill("frame_ancestors");
    },
  },
  {
    name: "docs, nothing found",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/docs`);
      await page.locator('[id="agents.generate"] .sample').waitFor();
      const contents = page.locator("#contents-button");
      if (await contents.isVisible()) await contents.click();
      await page.locator("#filter").fill("flying saucers");
    },
  },
];
