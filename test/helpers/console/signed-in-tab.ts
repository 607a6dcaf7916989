// A tab that is signed in to the console.
import type { Browser, Page } from "playwright-core";
import type { TestApi } from "../service/with-api.ts";

export interface ConsoleTabOptions {
  /** Below `/console`, with a slash in front. */
  path: string;
  /** CSS px. */
  viewport: { width: number; height: number };
  theme: "light" | "dark";
  /** As browsers name them. */
  language: string;
  /** IANA name. Default: the machine's. */
  timezone?: string;
  /** Receives the tab before its first page is loaded. */
  onPage?(page: Page): void;
}

/** Signs in with the secret. The caller closes the tab's context. */
export async function openConsoleTab(
  { api, browser, secret }: { api: TestApi; browser: Browser; secret: string },
  { path, viewport, theme, language, timezone, onPage }: ConsoleTabOptions,
): Promise<Page> {
  const context = await browser.newContext({ viewport, colorScheme: theme, locale: language, timezoneId: timezone });
  const page = await context.newPage();
  onPage?.(page);
  await page.goto(`${api.baseUrl}/account/plan`);
  // From within the site, as the console's own page does.
  await page.evaluate(
    `fetch("/console/session", { method: "POST", headers: { "content-type": "application/json" },
       body: ${JSON.stringify(JSON.stringify({ secret }))} })`,
  );
  await page.goto(`${api.baseUrl}/console${path}`);
  return page;
}
