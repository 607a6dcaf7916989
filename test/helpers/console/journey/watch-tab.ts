// What must not happen in a tab of the console on the whole service.
import type { Page } from "playwright-core";

/** Notes errors of scripts, what the browser's console calls errors, and requests to other machines. `expected`: of
 *  the former, what belongs to the test: the address follows the words. */
export function watchTab(page: Page, baseUrl: string, problems: string[], expected?: RegExp): void {
  const { hostname } = new URL(baseUrl);
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const words = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && !expected?.test(words)) problems.push(words);
  });
  page.on("request", (request) => {
    const { protocol, hostname: asked } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && asked !== hostname) problems.push(`a request to ${asked}`);
  });
}
