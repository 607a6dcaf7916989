// What every view does when the connection is lost, and what the console does without storage.
import type { Page } from "playwright-core";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const OFFLINE = "The service cannot be reached. What you see may be old.";
const DENY_STORAGE = `for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });`;

export const faultsScenario: ConsoleScenario = {
  name: "a lost connection is said in each view, which goes on when it is back; storage may be denied",
  // The browser tells of each request that failed.
  expected: /net::ERR_(FAILED|INTERNET_DISCONNECTED)|ERR_ABORTED/,
  async run({ t, open }) {
    const page = await open({ path: "/account" });
    for (const path of await viewsInMenu(page)) {
      await page.route("**/console/api/**", (route) => route.abort());
      await page.goto(new URL(path, page.url()).href);
      await page.locator("main h1").first().waitFor();
      const waiting = page.locator("main .waiting:visible");
      await waitFor(async () => (await waiting.count()) === 0, `answers or alerts in ${path}`);
      if ((await page.locator("main [role=alert]:visible").count()) === 0) {
        await page.unroute("**/console/api/**");
        continue;
      }
      t.match(await page.locator("main").textContent(), OFFLINE, path);
      await page.unroute("**/console/api/**");
      const again = page.locator("main [role=alert]:visible").getByRole("button", { name: "Try again" });
      await waitFor(async () => {
        const isThere = (await again.count()) === 0;
        // One of them may go while it is pressed.
        if (!isThere)
          await again
            .first()
            .click({ timeout: 1_000 })
            .catch(() => undefined);
        return isThere;
      }, `${path} goes on`);
    }

    const denied = await open({ path: "/account", language: "de" });
    await denied.addInitScript(DENY_STORAGE);
    await denied.reload();
    await denied.getByLabel("Sprache").selectOption("en");
    await denied.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    t.pass("without storage, a language can be chosen until the page is loaded again");
  },
};

async function viewsInMenu(page: Page): Promise<string[]> {
  const links = page.locator("nav.menu-column li a");
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
}
