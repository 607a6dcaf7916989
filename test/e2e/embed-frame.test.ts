// The contract's embed snippet on another site, in a real browser.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../web/build.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { withApi } from "../helpers/service/with-api.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test(
  "the embed snippet works on another site, unless its account names other sites",
  { skip, timeout: 120_000 },
  async (t) => {
    await buildWeb();
    await withApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 100 });
      await addAgent(api.services, { userId: account.userId, code: "nova" });
      const fields = { agent_id: "nova", fingerprint: "f00d" };
      const { token } = (await api.call("POST", "/v1/embed-tokens/request", { secret, body: fields })).body.data;
      const source = `${api.baseUrl}/embed/nova?token=${token}`;
      const shop = await serveSnippet(
        t,
        `<iframe src="${source}" allow="microphone *; camera *; autoplay *"></iframe>`,
      );
      await withChromium(async (browser) => {
        const open = await frameOn(browser, shop);
        t.match(open.url, `${api.baseUrl}/embed/nova`, "the page runs in the frame");
        t.notMatch(open.url, /token/, "and took the token out of its address");
        t.match(open.notice, /busy|connection|talk|wrong/, "it reached the api: there is no LiveKit server here");
        t.same(open.allowed, ["microphone", "camera", "autoplay"]);

        const limit = async (sites: string[]) => {
          const path = `/v2/${account.userId}/embed-settings`;
          t.equal((await api.call("PUT", path, { secret, body: { frame_ancestors: sites } })).status, 200);
        };
        await limit(["https://shop.example"]);
        t.match(await frameOn(browser, shop), { url: /^chrome-error:/, notice: null }, "another site is named");
        await limit([new URL(shop).origin]);
        t.match((await frameOn(browser, shop)).url, `${api.baseUrl}/embed/nova`, "this site is named");
      });
    });
  },
);

t.test(
  "a page with one link for all visitors gives each tab an id of its own, which a reload keeps",
  { skip, timeout: 120_000 },
  async (t) => {
    await buildWeb();
    await withApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 100 });
      await addAgent(api.services, { userId: account.userId, code: "nova" });
      const fields = { agent_id: "nova", shared: true };
      const { token } = (await api.call("POST", "/v1/embed-tokens/request", { secret, body: fields })).body.data;
      const shop = await serveSnippet(
        t,
        `<iframe src="${api.baseUrl}/embed/nova?token=${token}&visitor_id=ann"></iframe>`,
      );
      await withChromium(async (browser) => {
        const context = await browser.newContext();
        const open = async (page: Page) => {
          const [request] = await Promise.all([
            page.waitForRequest(`${api.baseUrl}/embed/session`),
            // This browser denies storage to a frame of another site, so its history keeps the id.
            page.url() === shop ? page.frames()[1].evaluate("location.reload()") : page.goto(shop),
          ]);
          return request.postDataJSON() as { end_user_id: string; tab_id: string };
        };
        const [page, other] = [await context.newPage(), await context.newPage()];
        const first = await open(page);
        t.match(first, { end_user_id: "ann", tab_id: /^[0-9a-f]{32}$/ });
        t.equal((await open(page)).tab_id, first.tab_id, "after a reload of the frame");
        t.not((await open(other)).tab_id, first.tab_id, "another tab with the same name");
        await context.close();
      });
    });
  },
);

/** A page of another site: `localhost` and 127.0.0.1 are two sites to a browser. */
async function serveSnippet(t: Test, snippet: string): Promise<string> {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>Shop</title>${snippet}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

interface Framed {
  url: string;
  /** What the embed page says once it has ended; null if it does not run. */
  notice: string | null;
  /** Features that the frame may use. */
  allowed: string[];
}

async function frameOn(browser: Browser, address: string): Promise<Framed> {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    const frame = page.frames()[1];
    await frame.waitForLoadState();
    if (frame.url().startsWith("chrome-error:")) return { url: frame.url(), notice: null, allowed: [] };
    await frame.locator("#page[data-state=ended]").waitFor();
    const notice = await frame.locator(".stage-notice-title").textContent();
    const allowed = await frame.evaluate(
      `["microphone", "camera", "autoplay"].filter((name) => document.featurePolicy.allowsFeature(name))`,
    );
    return { url: frame.url(), notice, allowed: allowed as string[] };
  } finally {
    await page.close();
  }
}
