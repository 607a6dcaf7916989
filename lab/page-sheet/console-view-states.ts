// States that every view of the console has: as it opens, waiting, offline; and of what is not there, refused.
import type { Page } from "playwright-core";
import { CONSOLE_VIEWS, type ConsoleViewName } from "../../shared/console-views.ts";
import { openConsole, signInToConsole } from "./open-console.ts";
import type { PageState } from "./page-state.ts";

const HEADING = "#view h1";
const ANSWERS = /\/console\/(?:api\/|overview)/;
/** What a view says while it waits. */
const WAITING = "#view .waiting, #view [aria-busy=true]";

/** Asks nothing that could fail when it opens. */
const ASKS_NOTHING: readonly ConsoleViewName[] = ["player"];
const ASKING = CONSOLE_VIEWS.filter((view) => !ASKS_NOTHING.includes(view));
/** An address of something that the service refuses, because it is not there. */
const MISSING = ["agents/NONE000000", "sessions/cs_none", "knowledge/kb_none", "webhooks/wh_none"] as const;

async function settle(page: Page): Promise<void> {
  await page.locator(HEADING).first().waitFor();
  await page.locator(WAITING).first().waitFor({ state: "detached" });
}

export const CONSOLE_VIEW_STATES: readonly PageState[] = [
  ...(CONSOLE_VIEWS.map((view) => ({
    name: `console, ${view}, as it opens`,
    languages: ["de", "es"],
    async open(page, service) {
      await openConsole(page, service, `/${view}`);
      await settle(page);
    },
  })) satisfies PageState[]),
  ...(ASKING.map((view) => ({
    name: `console, ${view}, waiting`,
    async open(page, service) {
      await signInToConsole(page, service);
      await page.route(ANSWERS, () => new Promise(() => undefined));
      await page.goto(`${service.baseUrl}/console/${view}`);
      await page.locator(HEADING).first().waitFor();
    },
  })) satisfies PageState[]),
  ...(ASKING.map((view) => ({
    name: `console, ${view}, no connection`,
    async open(page, service) {
      await signInToConsole(page, service);
      await page.route(ANSWERS, (route) => route.abort());
      await page.goto(`${service.baseUrl}/console/${view}`);
      await page.getByRole("alert").first().waitFor();
      await settle(page);
    },
  })) satisfies PageState[]),
  ...(MISSING.map((path) => ({
    name: `console, ${path.split("/")[0]}, one that is not there`,
    async open(page, service) {
      await openConsole(page, service, `/${path}`);
      await settle(page);
    },
  })) satisfies PageState[]),
  {
    name: "console, secrets, a new one is named",
    languages: ["de", "es"],
    async open(page, service) {
      await openConsole(page, service, "/secrets");
      await settle(page);
      await page.locator("#view button").first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "console, a computer with an unknown code",
    async open(page, service) {
      await signInToConsole(page, service);
      await page.goto(`${service.baseUrl}/device?code=BBBB-BBBB`);
      await page.getByRole("alert").waitFor();
    },
  },
];
