// Opens a view of the console, signed in with the operator's secret.
import type { Page } from "playwright-core";
import type { SheetService } from "./page-state.ts";

/** `path`: below `/console`, with a slash in front. */
export async function openConsole(page: Page, { baseUrl, apiSecret }: SheetService, path: string): Promise<void> {
  await page.goto(`${baseUrl}/console${path}`);
  await page.getByLabel("API secret").fill(apiSecret);
  await page.getByLabel("API secret").press("Enter");
}
