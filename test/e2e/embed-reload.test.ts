// Visitors who load the page again while the service has one slot, in a real browser.
import pg from "pg";
import type { Browser, Page } from "playwright-core";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const RELOADS = 10;
/** A reload takes half a second. Tests run beside others, and a wait for the slot of the closed page takes 3 s more. */
const SLOW_RELOAD_MS = 3_000;
const LIVE_TIMEOUT_MS = 60_000;
const DENY_STORAGE = `Object.defineProperty(window, "sessionStorage", {
  get() { throw new DOMException("denied", "SecurityError"); },
});`;

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a visitor goes on with the same session after every reload, with one slot", { skip, timeout: 300_000 }, (t) =>
  withStack(
    ({ baseUrl, databaseUrl }) =>
      withChromium(async (browser) => {
        const database = new pg.Client({ connectionString: databaseUrl });
        await database.connect();
        const readSessions = async (): Promise<{ id: string; status: string }[]> =>
          (await database.query("select id, status from avatar_sessions order by created_at")).rows;
        try {
          const page = await openPage(browser);
          await page.goto(`${baseUrl}/demo`);
          await untilLive(page);
          const waitedMs: number[] = [];
          for (let count = 1; count <= RELOADS; count++) {
            const sinceMs = performance.now();
            // To the page, or to the link that led there.
            if (count % 3 === 0) await page.goto(`${baseUrl}/demo`);
            else await page.reload();
            await untilLive(page);
            waitedMs.push(Math.round(performance.now() - sinceMs));
          }
          const medianMs = waitedMs.sort((a, b) => a - b)[RELOADS / 2];
          t.comment(`from the reload to the first frame, ms: ${waitedMs.join(", ")}`);
          t.ok(medianMs < SLOW_RELOAD_MS, `${medianMs} ms: the session goes on, and no slot is waited for`);
          const [first, ...others] = await readSessions();
          t.match(first, { status: "live" });
          t.same(others, [], "one session, and one conversation");

          const second = await openPage(browser);
          await page.context().close();
          await second.goto(`${baseUrl}/demo`);
          await untilLive(second);
          t.same(
            (await readSessions()).map(({ status }) => status),
            ["ended", "live"],
            "another visitor gets the slot of one who has left, at once",
          );
          await second.context().close();

          const strict = await openPage(browser, DENY_STORAGE);
          await strict.goto(`${baseUrl}/demo`);
          await untilLive(strict);
          await strict.reload();
          await untilLive(strict);
          t.equal((await readSessions()).length, 3, "also where the browser denies storage");
          await strict.context().close();
        } finally {
          await database.end();
        }
      }),
    { AVATAR_MAX_SESSIONS: "1" },
  ),
);

async function openPage(browser: Browser, script?: string): Promise<Page> {
  const context = await browser.newContext();
  if (script !== undefined) await context.addInitScript(script);
  return context.newPage();
}

/** Waits for the first frame. Throws if the page ends, as it does when the service is busy. */
async function untilLive(page: Page): Promise<void> {
  const isLive = async () => {
    const state = await page.locator("#page").getAttribute("data-state");
    if (state === "ended") throw new Error(`the page ended: ${await page.locator(".stage-notice").textContent()}`);
    return state === "live";
  };
  await waitFor(isLive, "the page is live", LIVE_TIMEOUT_MS);
}
