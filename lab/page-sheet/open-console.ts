// Opens a view of the console, signed in with the operator's secret.
import type { Page } from "playwright-core";
import type { SheetService } from "./page-state.ts";

/** Signs the tab in from within the site, as the console's own page does, whatever the language. */
export async function signInToConsole(page: Page, { baseUrl, apiSecret }: SheetService): Promise<void> {
  await page.goto(`${baseUrl}/account/plan`);
  const body = JSON.stringify(JSON.stringify({ secret: apiSecret }));
  const headers = `{ "content-type": "application/json" }`;
  const request = `fetch("/console/session", { method: "POST", headers: ${headers}, body: ${body} })`;
  const status = await page.evaluate(`${request}.then((answer) => answer.status)`);
  if (typeof status !== "number" || status >= 400) throw new Error(`signing in answered ${String(status)}`);
}

/** `path`: below `/console`, with a slash in front. */
export async function openConsole(page: Page, service: SheetService, path: string): Promise<void> {
  await signInToConsole(page, service);
  await page.goto(`${service.baseUrl}/console${path}`);
}
