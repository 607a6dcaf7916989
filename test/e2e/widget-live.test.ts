// A widget on a site of another origin, with a whole service behind it: opened, live, said, heard, closed.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { callStack } from "../helpers/service/visit-agent.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;
const FLAGS = ["--autoplay-policy=no-user-gesture-required", "--use-fake-device-for-media-stream"];
const LIVE_MS = 30_000;

t.test("a visitor's conversation in a widget, from its opening to its end", { skip, timeout: 180_000 }, async (t) => {
  await withStack(async (stack) => {
    const { baseUrl, agentCode } = stack;
    const site = await serveSite(t, `<script src="${baseUrl}/widget.js"></script>`);
    const origins = [site];
    const sharing = await callStack(stack, "PUT", `/v1/agent/${agentCode}/sharing`, { is_public: true, origins });
    t.equal(sharing.httpStatus, 200);
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      page.setDefaultTimeout(LIVE_MS);
      await page.goto(site);
      await page.evaluate(`window.heard = [];
        const widget = AvatarWidget.init({ agentId: ${JSON.stringify(agentCode)} });
        for (const type of ["ready", "live", "speaking", "caption", "ended", "error"])
          widget.addEventListener(type, ({ detail }) => heard.push({ type, ...detail }));
        widget.say("Hello from the site.");`);
      const frames = () => page.frames().filter((frame) => frame.url().includes("/share/"));
      await heard(page, `type === "live"`);
      await heard(page, `type === "speaking" && one.isSpeaking`);
      await heard(page, `type === "caption" && one.speaker === "avatar" && one.text.includes("Hello")`);
      const video = (await frames()[0].evaluate("document.getElementById('video').videoWidth")) as number;
      t.ok(video > 0, "the frame shows the stream");
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/live.png` });
      await page.evaluate("AvatarWidget.close()");
      await heard(page, `type === "ended"`);
      await waitFor(() => frames().length === 0, "the frame has left");
      await t.test("a token of the site's server", async () => {
        const body = { agent_id: agentCode, fingerprint: "0123456789abcdef0123456789abcdef" };
        const { data } = await callStack(stack, "POST", "/v1/embed-tokens/request", body);
        await page.evaluate(`AvatarWidget.destroy(); heard.length = 0; window.asked = [];
          const tokens = ["expired.token.x", ${JSON.stringify(data.token)}];
          const second = AvatarWidget.init({ form: "chat", agentId: ${JSON.stringify(agentCode)},
            getToken: async () => (asked.push(1), tokens[Math.min(asked.length, 2) - 1]) });
          second.addEventListener("live", ({ detail }) => heard.push({ type: "live", ...detail }));
          second.open();`);
        await heard(page, `type === "live"`);
        const count = (await page.evaluate("asked.length")) as number;
        t.ok(count >= 2 && count <= 4, `a refused token is replaced, by ${count} calls`);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/live-chat.png` });
      });
      await page.close();
    }, FLAGS);
  });
});

async function heard(page: Page, what: string): Promise<void> {
  const find = `heard.some((one) => one.${what})`;
  const has = async () => (await page.evaluate(find)) === true;
  await waitFor(has, what, LIVE_MS).catch(async (error: Error) => {
    throw new Error(`${error.message}; heard: ${JSON.stringify(await page.evaluate("heard"))}`, { cause: error });
  });
}

async function serveSite(t: Test, body: string): Promise<string> {
  const server = createServer((_, answer) => {
    answer
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>Shop</title><p>A shop</p>${body}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
