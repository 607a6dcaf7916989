// The console in a browser: how soon a change is seen in it, and what memory it takes.
import { readPssMb } from "../../bench/service/memory.ts";
import type { Cookie, PlainChromium, PlainTab } from "../browser/plain-chromium.ts";

const SEEN_TIMEOUT_MS = 60_000;
const BYTES_PER_MB = 1024 * 1024;

/** Two tabs of one person: the sessions of avatars, and the account, which lists the browsers that are signed in. */
export class ConsolePage {
  readonly #browser: PlainChromium;
  readonly #sessions: PlainTab;
  readonly #account: PlainTab;

  private constructor(browser: PlainChromium, sessions: PlainTab, account: PlainTab) {
    this.#browser = browser;
    this.#sessions = sessions;
    this.#account = account;
  }

  /** Throws Error unless the views open within a minute. */
  static async open(browser: PlainChromium, baseUrl: string, cookie: Cookie): Promise<ConsolePage> {
    await browser.setCookie(cookie);
    const openTab = async (view: string) => {
      const tab = await browser.openTab(`${baseUrl}/console/${view}`);
      await tab.until(`document.querySelector("nav.menu-column li a") !== null`, SEEN_TIMEOUT_MS);
      return tab;
    };
    return new ConsolePage(browser, await openTab("sessions"), await openTab("account"));
  }

  /** What pages have reported as errors. */
  get problems(): readonly string[] {
    return [...this.#sessions.problems, ...this.#account.problems];
  }

  /** Resolves when the first table, of live sessions, has this many rows. Throws Error after a minute. */
  async untilLive(rows: number): Promise<void> {
    const shown = `(document.querySelector("table")?.querySelectorAll("tbody tr").length ?? 0)`;
    await this.#sessions.until(`${shown} >= ${rows}`, SEEN_TIMEOUT_MS);
  }

  /** Resolves when the account shows a browser of this name. Throws Error after a minute. */
  async untilListed(userAgent: string): Promise<void> {
    const isIt = `(part) => part.childElementCount === 0 && part.textContent === ${JSON.stringify(userAgent)}`;
    await this.#account.until(`[...document.querySelectorAll("#view *")].some(${isIt})`, SEEN_TIMEOUT_MS);
  }

  /** What scripts hold after the garbage is collected, and the processes of the tabs, MB. */
  async memory(): Promise<{ pageHeapMb: number; pageProcessMb: number }> {
    const heapBytes = (await this.#sessions.heapBytes()) + (await this.#account.heapBytes());
    const pageHeapMb = Math.round((10 * heapBytes) / BYTES_PER_MB) / 10;
    return { pageHeapMb, pageProcessMb: await readPssMb(await this.#browser.pagePids()) };
  }
}
