// What a scenario of the console works with: an account of its own on a running api, and tabs that are signed in to it.
import type { Browser, Page } from "playwright-core";
import type { Test } from "tap";
import type { Account } from "../../../api/accounts/account.ts";
import { axeViolations } from "../../../lab/page-sheet/axe-violations.ts";
import type { TestApi } from "../service/with-api.ts";
import { openConsoleTab } from "./signed-in-tab.ts";

export interface OpenOptions {
  /** Below `/console`, with a slash in front. */
  path: string;
  /** CSS px. Default 1280. */
  width?: number;
  /** Default light. */
  theme?: "light" | "dark";
  /** As browsers name them. Default `en`. */
  language?: string;
  /** Of another account. Default: that of the scenario's. */
  secret?: string;
}

export interface ConsoleTools {
  t: Test;
  api: TestApi;
  account: Account;
  /** The account's API secret, to prepare what the view shows (`api.call`). */
  secret: string;
  /** A tab that is signed in. Tabs are closed after the scenario, which then checks their errors. */
  open(options: OpenOptions): Promise<Page>;
  /** Fails if the page is wider than its window, or axe finds a violation. */
  assertFits(page: Page, what: string): Promise<void>;
}

export interface ConsoleScenario {
  /** A rule, as tests are named. */
  name: string;
  /** Of the account. Default 1000. */
  credits?: number;
  /** Errors in the browser's console that belong to the scenario: the address follows the words. */
  expected?: RegExp;
  /** Whether the jobs of the queue run: deliveries, for example. Default: what is being made stays as it is. */
  runsJobs?: true;
  run(tools: ConsoleTools): Promise<void>;
}

const HEIGHTS: Readonly<Record<number, number>> = { 320: 568 };
const SIZE = "[document.documentElement.scrollWidth, innerWidth]";

/** Runs one scenario as a subtest. Errors of the page, violations of its policy and requests to other hosts fail it. */
export function runScenario(t: Test, { api, browser }: { api: TestApi; browser: Browser }, scenario: ConsoleScenario) {
  return t.test(scenario.name, async (t) => {
    const { account, secret } = await api.addAccount({ plan: "enterprise", credits: scenario.credits ?? 1000 });
    const problems: string[] = [];
    const pages: Page[] = [];
    const open = async ({ path, width = 1280, theme = "light", language = "en", ...other }: OpenOptions) => {
      const viewport = { width, height: HEIGHTS[width] ?? 800 };
      const onPage = (page: Page) => {
        pages.push(page);
        page.on("pageerror", (error) => problems.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`);
        });
        page.on("request", (request) => {
          const { origin, protocol } = new URL(request.url());
          if (protocol.startsWith("http") && origin !== api.baseUrl) problems.push(`a request to ${origin}`);
        });
      };
      return openConsoleTab(
        { api, browser, secret: other.secret ?? secret },
        { path, viewport, theme, language, onPage },
      );
    };
    const assertFits = async (page: Page, what: string) => {
      await page.locator("main h1").first().waitFor();
      const [needed, given] = (await page.evaluate(SIZE)) as [number, number];
      t.ok(needed <= given, `${what}: ${needed} px in ${given}`);
      t.same(await axeViolations(page), [], what);
    };
    try {
      await scenario.run({ t, api, account, secret, open, assertFits });
      const unexpected = problems.filter((problem) => !scenario.expected?.test(problem));
      t.same(unexpected, [], "no error, no violation of the policy, no foreign request");
    } finally {
      for (const page of pages) await page.context().close();
    }
  });
}
