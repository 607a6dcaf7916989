// The console in a browser: how soon a change is seen in it, and what memory it takes.
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { readPssMb } from "../../bench/service/memory.ts";

const SEEN_TIMEOUT_MS = 60_000;
const BYTES_PER_MB = 1024 * 1024;

/** Two tabs of one person: the sessions of avatars, and the account, which lists the browsers that are signed in. */
export class ConsolePage {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #sessions: Page;
  readonly #account: Page;
  readonly #tools: readonly CDPSession[];
  /** What pages have reported as errors. */
  readonly problems: readonly string[];

  private constructor(
    browser: Browser,
    context: BrowserContext,
    sessions: Page,
    account: Page,
    tools: readonly CDPSession[],
    problems: readonly string[],
  ) {
    this.#browser = browser;
    this.#context = context;
    this.#sessions = sessions;
    this.#account = account;
    this.#tools = tools;
    this.problems = problems;
  }

  static async open(
    browser: Browser,
    baseUrl: string,
    cookie: Parameters<BrowserContext["addCookies"]>[0][number],
  ): Promise<ConsolePage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addCookies([cookie]);
    const problems: string[] = [];
    context.on("weberror", (error) => problems.push(error.error().message));
    context.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    const tools: CDPSession[] = [];
    const openTab = async (view: string) => {
      const page = await context.newPage();
      page.setDefaultTimeout(SEEN_TIMEOUT_MS);
      await page.goto(`${baseUrl}/console/${view}`);
      await page.locator("nav.menu-column li a").first().waitFor();
      tools.push(await context.newCDPSession(page));
      return page;
    };
    const sessions = await openTab("sessions");
    const account = await openTab("account");
    return new ConsolePage(browser, context, sessions, account, tools, problems);
  }

  /** Resolves when the first table, of live sessions, has this many rows. Throws Error after a minute. */
  async untilLive(rows: number): Promise<void> {
    await this.#sessions
      .getByRole("table")
      .first()
      .locator("tbody tr")
      .nth(rows - 1)
      .waitFor();
  }

  /** Resolves when the account shows a browser of this name. Throws Error after a minute. */
  async untilListed(userAgent: string): Promise<void> {
    await this.#account.getByText(userAgent, { exact: true }).waitFor();
  }

  /** What scripts hold after the garbage is collected, and the processes of the tabs, MB. */
  async memory(): Promise<{ pageHeapMb: number; pageProcessMb: number }> {
    let heapBytes = 0;
    for (const tool of this.#tools) {
      await tool.send("HeapProfiler.collectGarbage");
      heapBytes += (await tool.send("Runtime.getHeapUsage")).usedSize;
    }
    const root = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await root.send("SystemInfo.getProcessInfo");
    await root.detach();
    const tabs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
    const pageHeapMb = Math.round((10 * heapBytes) / BYTES_PER_MB) / 10;
    return { pageHeapMb, pageProcessMb: await readPssMb(tabs) };
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
