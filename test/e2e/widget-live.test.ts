// Widgets on a site of another origin, with a whole service behind them: conversations, and what goes wrong in them.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { callStack } from "../helpers/service/visit-agent.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;
const FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-device-for-media-stream",
  // WebGL without a graphics card.
  "--enable-unsafe-swiftshader",
];
const PORTRAIT = new URL("../../models/portraits/hana.png", import.meta.url);
/** The policies of a site that allows our origin alone, trusts no markup and isolates itself. */
const strict = (origin: string) => ({
  "content-security-policy": `default-src 'none'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
});
const PHONE = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
const NOTES = `window.heard = [];
window.note = (widget, name) => {
  for (const type of ["ready", "live", "speaking", "caption", "ended", "error"])
    widget.addEventListener(type, ({ detail }) => heard.push({ name, type, ...detail }));
  return widget;
};`;

t.test("a visitor's conversation in a widget, from its opening to its end", { skip, timeout: 420_000 }, async (t) => {
  await withStack(async (stack) => {
    const { baseUrl, agentCode } = stack;
    const script = `<script src="${baseUrl}/widget.js"`;
    const site = await serveSite(t, {
      "/": { body: `${script}></script>` },
      // The site's own policy wins over what the widget asks for its frame.
      "/two": {
        body: `<style>avatar-widget { display: inline-block; width: 380px; height: 520px }</style>${script}></script>
          <avatar-widget id="one" agent-id="${agentCode}"></avatar-widget>
          <avatar-widget id="two" agent-id="${agentCode}"></avatar-widget>`,
        headers: { "permissions-policy": "microphone=(), camera=()" },
      },
      "/strict": {
        body: `${script} data-agent-id="${agentCode}" data-render="local" data-auto-load></script>`,
        headers: strict(baseUrl),
      },
    });
    const origins = [site];
    const sharing = await callStack(stack, "PUT", `/v1/agent/${agentCode}/sharing`, { is_public: true, origins });
    t.equal(sharing.httpStatus, 200);
    const allowed = await callStack(stack, "POST", `/v1/agent/${agentCode}`, { local_rendering: "allowed" });
    t.equal(allowed.httpStatus, 200);
    await withChromium(async (browser) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(site);
      const framesOf = (path: string) => page.frames().filter((frame) => frame.url().includes(path));
      await page.evaluate(`${NOTES} note(AvatarWidget.init({ agentId: ${JSON.stringify(agentCode)} }));
        AvatarWidget.say("Hello from the site.");`);
      await heard(page, `type === "live"`);
      await heard(page, `type === "speaking" && one.isSpeaking`);
      await heard(page, `type === "caption" && one.speaker === "avatar" && one.text.includes("Hello")`);
      const video = (await framesOf("/share/")[0].evaluate("document.getElementById('video').videoWidth")) as number;
      t.ok(video > 0, "the frame shows the stream");
      await shoot(page, "live");
      await page.evaluate("AvatarWidget.close()");
      await heard(page, `type === "ended"`);
      await waitFor(() => framesOf("/share/").length === 0, "the frame has left");
      await t.test("tokens of the site's server: one that is refused, and one that expires while it is open", (t) =>
        tokens(t, page, stack),
      );
      await t.test("two widgets of one agent are two conversations, without a microphone", (t) =>
        two(t, page, `${site}/two`),
      );
      await t.test("a node that is removed in the middle of a sentence ends its session", (t) =>
        removed(t, page, stack),
      );
      await context.close();
      await t.test(
        "a phone renders the face, in a site that allows our origin alone and isolates itself",
        async (t) => {
          const phone = await browser.newPage(PHONE);
          await phone.goto(`${site}/strict`);
          const frame = phone.frameLocator("avatar-widget iframe");
          await frame.locator("#page[data-state=live]").waitFor();
          t.equal(await frame.locator("canvas.stage-face").count(), 1, "by the tab, not by video");
          const face = await phone.locator("avatar-widget .face").boundingBox();
          t.ok(face && face.x >= 0 && face.y >= 0 && face.x + face.width <= 320 && face.y + face.height <= 568);
          await shoot(phone, "live-local-phone");
          await phone.close();
        },
      );
      await t.test("a green ground is transparent", (t) => transparent(t, browser, { stack, site }));
    }, FLAGS);
  });
});

async function tokens(t: Test, page: Page, stack: TestStack): Promise<void> {
  const { agentCode } = stack;
  const mint = async () => {
    const body = { agent_id: agentCode, fingerprint: "0123456789abcdef0123456789abcdef" };
    return (await callStack(stack, "POST", "/v1/embed-tokens/request", body)).data.token as string;
  };
  const first = await mint();
  await page.evaluate(`AvatarWidget.destroy(); heard.length = 0; window.asked = 0; window.token = ${JSON.stringify(first)};
    const getToken = async () => (asked++ === 0 ? "expired.token.x" : token);
    note(AvatarWidget.init({ form: "chat", agentId: ${JSON.stringify(agentCode)}, getToken })).open();`);
  await heard(page, `type === "live"`);
  const count = (await page.evaluate("asked")) as number;
  t.ok(count >= 2 && count <= 4, `a refused token is replaced, by ${count} calls`);
  await shoot(page, "live-chat");

  // From now on the service refuses it.
  await page.route("**/embed/say", async (route) => {
    const headers = route.request().headers();
    const isOld = headers.authorization === `Bearer ${first}`;
    await route.continue(isOld ? { headers: { ...headers, authorization: "Bearer expired.token.x" } } : {});
  });
  await page.evaluate(
    `heard.length = 0, token = ${JSON.stringify(await mint())}, AvatarWidget.say("The talk goes on.")`,
  );
  await heard(page, `type === "caption" && one.speaker === "avatar" && one.text.includes("goes on")`);
  t.equal(await page.evaluate("asked"), count + 1, "one call");
  t.same(await page.evaluate(`heard.filter(({ type }) => ["live", "ended", "error"].includes(type))`), []);
  await page.unroute("**/embed/say");
  await page.evaluate("AvatarWidget.destroy()");
}

async function two(t: Test, page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.evaluate(`${NOTES} for (const id of ["one", "two"]) note(document.getElementById(id), id)`);
  for (const id of ["one", "two"]) {
    await page.evaluate(`document.getElementById(${JSON.stringify(id)}).open()`);
    await heard(page, `type === "live" && one.name === ${JSON.stringify(id)}`);
  }
  t.same(await page.evaluate(`heard.filter(({ type }) => type === "ended")`), [], "both go on");
  const frame = page.frameLocator("#one iframe");
  await frame.locator("#microphone").click();
  await heard(page, `type === "error" && one.name === "one" && one.code === "MICROPHONE"`);
  t.match(await frame.locator("#hint").textContent(), /not allowed/);
  t.equal(await frame.locator("#page").getAttribute("data-state"), "live", "the conversation goes on");
  await shoot(page, "live-two");
}

/** Goes on where `two` has ended. */
async function removed(t: Test, page: Page, stack: TestStack): Promise<void> {
  const running = async () =>
    (await callStack(stack, "GET", `/v1/agent/${stack.agentCode}/sessions`)).sessions.length as number;
  await page.evaluate("heard.length = 0");
  await waitFor(async () => (await running()) === 2, "the sessions of before have ended");
  const text = "This sentence is long, and the page does not wait for its end, because it shows something else now.";
  await page.evaluate(`window.node = document.getElementById("one"), node.say(${JSON.stringify(text)})`);
  await heard(page, `type === "speaking" && one.isSpeaking && one.name === "one"`);
  await page.evaluate("node.remove()");
  await heard(page, `type === "ended" && one.reason === "removed" && one.name === "one"`);
  await waitFor(async () => (await running()) === 1, "its session has ended");
  t.same(await page.evaluate(`heard.filter(({ type, name }) => type === "ended" && name === "two")`), []);
}

async function transparent(
  t: Test,
  browser: Browser,
  { stack, site }: { stack: TestStack; site: string },
): Promise<void> {
  const image = (await readFile(PORTRAIT)).toString("base64");
  const order = { prompt: "A guide", name: "Hana", image, transparency: true, aspect_ratio: "1:1", model: "essence-2" };
  const { agent_id: agentId } = await callStack(stack, "POST", "/v1/agent/generate", order);
  const isReady = async () => (await callStack(stack, "GET", `/v1/agent/status/${agentId}`)).data?.status === "ready";
  await waitFor(isReady, "the agent on green", 120_000);
  const sharing = { is_public: true, origins: [site] };
  t.equal((await callStack(stack, "PUT", `/v1/agent/${agentId}/sharing`, sharing)).httpStatus, 200);
  const allowed = await callStack(stack, "POST", `/v1/agent/${agentId}`, { local_rendering: "allowed" });
  t.equal(allowed.httpStatus, 200);
  for (const render of ["stream", "local"]) {
    const page = await browser.newPage({ colorScheme: render === "local" ? "dark" : "light" });
    await page.goto(site);
    const options = { agentId, size: 400, transparent: true, render };
    await page.evaluate(
      `document.body.style.background = "#e33"; AvatarWidget.init(${JSON.stringify(options)}).open();`,
    );
    const frame = page.frameLocator("avatar-widget iframe");
    await frame.locator("#page[data-state=live]").waitFor();
    await frame.locator(".stage[data-face=alive][data-drawn]").waitFor();
    t.equal(await frame.locator("canvas.stage-face").count(), render === "local" ? 1 : 0, `rendered by ${render}`);
    await shoot(page, `live-transparent-${render}`);
    const { x, y } = (await page.locator("avatar-widget iframe").boundingBox())!;
    const beside = await page.screenshot({ clip: { x: x + 8, y: y + 60, width: 24, height: 24 } });
    const { channels } = await sharp(beside).stats();
    t.same(
      channels.slice(0, 3).map(({ mean }) => Math.round(mean)),
      [0xee, 0x33, 0x33],
      `${render}: the site is seen beside the face`,
    );
    t.ok(await frame.locator(".stage-disclosure").isVisible(), "the label stays");
    await page.close();
  }
}

async function heard(page: Page, what: string): Promise<void> {
  const find = `heard.some((one) => one.${what})`;
  const has = async () => (await page.evaluate(find)) === true;
  await waitFor(has, what).catch(async (error: Error) => {
    throw new Error(`${error.message}; heard: ${JSON.stringify(await page.evaluate("heard"))}`, { cause: error });
  });
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

async function serveSite(
  t: Test,
  pages: Readonly<Record<string, { body: string; headers?: Record<string, string> }>>,
): Promise<string> {
  const server = createServer(({ url = "/" }, answer) => {
    const found = pages[url];
    if (!found) return answer.writeHead(404).end();
    const head = `<!doctype html><title>Shop</title><meta name="viewport" content="width=device-width"><p>A shop</p>`;
    answer.writeHead(200, { "content-type": "text/html", ...found.headers }).end(head + found.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
