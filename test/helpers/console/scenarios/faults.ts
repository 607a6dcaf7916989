// What the console does when the connection is lost, in a browser that denies what it needs, and when a session ends.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { untilState } from "../../pages/start-page.ts";
import { browserWith, makeLink } from "../../service/sign-in.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";
import { seedSession } from "../seed-sessions.ts";

const DAY_MS = 86_400_000;
const OFFLINE = "The service cannot be reached. What you see may be old.";
const ASTRONAUT = join(import.meta.dirname, "..", "..", "..", "fixtures", "portraits", "astronaut.png");
const DENY_STORAGE = `for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });`;

export const faultsScenarios: readonly ConsoleScenario[] = [
  {
    name: "a lost connection is said in each view, which goes on when it is back",
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
        const again = page.locator("main [role=alert]:visible").getByRole("button", { name: "Try again" });
        if (path.endsWith("/secrets")) {
          const asked = page.waitForRequest("**/console/api/**");
          await again.first().press("Enter");
          await asked;
          await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
          t.equal(await page.locator(":focus").textContent(), "Try again", "the focus stays while it is asked again");
        }
        await page.unroute("**/console/api/**");
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
    },
  },
  {
    name: "without storage each view opens, and without WebAssembly Create and Player say what to do",
    // Files of sample faces are made when they are first fetched.
    expected: /status of 404.+\/samples\/[\w-]+\/imx/,
    async run({ t, open, assertFits }) {
      const denied = await open({ path: "/account", language: "de" });
      await denied.addInitScript(DENY_STORAGE);
      await denied.reload();
      await denied.getByLabel("Sprache").selectOption("en");
      await denied.getByRole("heading", { name: "Account", level: 1 }).waitFor();
      t.pass("a language can be chosen until the page is loaded again");
      for (const path of await viewsInMenu(denied)) {
        await denied.locator(`nav.menu-column a[href="${path}"]`).click();
        await denied.waitForURL(`**${path}`);
        await denied.locator("main h1").first().waitFor();
        const waiting = denied.locator("main .waiting:visible");
        await waitFor(async () => (await waiting.count()) === 0, `answers in ${path}`);
        t.equal(await denied.locator("main [role=alert]:visible").filter({ hasText: /\S/ }).count(), 0, path);
      }

      const page = await open({ path: "/account", width: 320 });
      await page.addInitScript("delete window.WebAssembly;");
      // In the worker, too: there it is the worker's own script that lacks it.
      await page.route("**/bake-worker*.js", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: `delete self.WebAssembly;\n${await answer.text()}` });
      });
      await page.goto(new URL("create", page.url()).href);
      await untilState(page, "empty");
      await page.locator("#file").setInputFiles(ASTRONAUT);
      await untilState(page, "chosen");
      t.match(await page.locator("#chosen-note").textContent(), /WebAssembly.+service can make it/);
      await assertFits(page, "a picture without WebAssembly");
      await page.goto(new URL("player", page.url()).href);
      await page.getByLabel("Who says the recording").selectOption({ index: 1 });
      await page.locator("main .wrong", { hasText: /WebAssembly/ }).waitFor();
      await assertFits(page, "a player without WebAssembly");
    },
  },
  {
    name: "who is signed out by the end of a session is told so, and goes on where they were",
    // The list of sign-ins may be on its way while its owner signs out.
    expected: /status of 401 .*\/console\/(api|sign-ins)/,
    async run({ t, api, account, secret, open, assertFits }) {
      const place = "/sessions?state=ended";
      const session = await seedSession(api, { userId: account.userId, ageMs: DAY_MS, lengthMs: 60_000 });
      const page = await open({ path: place, width: 320, theme: "dark" });
      const heading = page.getByRole("heading", { name: "Sessions", level: 1 });
      const own = page.getByText(session);
      await own.first().waitFor();
      await endSession(page);
      await page.getByText("You are signed out: your session was ended").waitFor();
      await waitFor(() => page.evaluate("document.activeElement?.tagName === 'H1'"), "the focus on the title");
      await assertFits(page, "signed out");
      await page.reload();
      await page.getByText("You are signed out: your session was ended").waitFor();

      await page.goto(`${api.baseUrl}/console/sign-in#link=${await makeLink(api, account.userId)}`);
      await own.first().waitFor();
      t.match(page.url(), place, "a link leads back");
      await endSession(page);
      await page.getByText("You are signed out: your session was ended").waitFor();
      t.equal(await page.getByRole("alert").count(), 0, "the link is not tried again");
      await page.getByLabel("API secret").fill(secret);
      await page.keyboard.press("Enter");
      await heading.waitFor();
      t.match(page.url(), place, "so does a secret");
      await own.first().waitFor();

      await endSession(page);
      const stranger = await api.addAccount();
      await page.getByLabel("API secret").fill(stranger.secret);
      await page.route("**/console/api/**", () => undefined);
      await page.keyboard.press("Enter");
      await heading.waitFor();
      t.equal(await own.count(), 0, "another person sees nothing of it");
      await page.unroute("**/console/api/**");
      await page.goto(`${api.baseUrl}/console/account`);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      t.equal(await page.getByText("You are signed out").count(), 0, "who signs out needs no reason");

      /** As from another computer. */
      async function endSession(tab: Page): Promise<void> {
        const cookies = await tab.context().cookies();
        const person = browserWith(api, cookies.map(({ name, value }) => `${name}=${value}`).join("; "));
        const { session_id: id } = (await person.call("GET", "/console/session")).body;
        await person.call("DELETE", `/console/sign-ins/${id}`);
      }
    },
  },
];

async function viewsInMenu(page: Page): Promise<string[]> {
  const links = page.locator("nav.menu-column li a");
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
}
