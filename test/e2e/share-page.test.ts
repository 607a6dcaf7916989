// The public page in frames of other sites, as a widget shows it, in a real browser.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Frame, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../web/build.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;
const NAME = "<img src=x onerror=alert(1)>";
const ISOLATED = { "cross-origin-embedder-policy": "require-corp", "cross-origin-opener-policy": "same-origin" };
/** Keeps what the frame tells its site. */
const LISTEN = "<script>window.heard = []; onmessage = ({ data }) => heard.push(data);</script>";

t.test("a public page in the frame of a site", { skip, timeout: 180_000 }, async (t) => {
  await buildWeb();
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 100 });
    await addAgent(api.services, { userId: account.userId, code: "nova" });
    await api.call("POST", "/v1/agent/nova", { secret, body: { name: NAME } });
    const site = await serveSite(t);
    const share = async (origins: string[]) => {
      const body = { is_public: true, origins };
      t.equal((await api.call("PUT", "/v1/agent/nova/sharing", { secret, body })).status, 200);
    };
    await withChromium(async (browser) => {
      await share(["https://shop.example"]);
      const other = await open(browser, api, site);
      t.match(other.frame.url(), /^chrome-error:/, "a site that the owner has not named");
      await other.page.close();
      await share([site]);
      await t.test("a site that isolates itself shows it; messages go to that site alone", (t) =>
        told(t, browser, api, site),
      );
      await t.test("it is as large as its frame, and says that the face is generated", (t) =>
        sizes(t, browser, api, site),
      );
      await t.test("a link that anyone may have written shows no words of its own", (t) => linked(t, browser, api));
      await t.test("a chat has its first line and its questions as text", (t) => chat(t, browser, api, site));
    });
  });
});

async function told(t: Test, browser: Browser, api: TestApi, site: string): Promise<void> {
  const { page, frame } = await open(browser, api, site);
  const heard = () => page.evaluate("heard") as Promise<{ type: string; service: string; reason?: string }[]>;
  t.equal(await page.evaluate("crossOriginIsolated"), true);
  await waitFor(
    async () => (await heard()).some(({ type }) => type === "ended"),
    "the end: there is no LiveKit server",
  );
  const messages = await heard();
  t.equal(messages[0].type, "ready");
  t.ok(messages.every(({ service }) => service === "avatar-widget"));
  t.notOk(
    messages.some(({ type }) => type === "need-token"),
    "it needs no token of the site",
  );
  t.equal(await frame.locator(".stage-name").textContent(), NAME, "markup in a name is text");

  const isMuted = () => frame.evaluate("document.getElementById('audio').muted");
  const send = (script: string) => page.evaluate(`frames[0].postMessage(${script}, "*")`);
  const mute = (changes: string) => `{ service: "avatar-widget", version: 1, type: "mute", isMuted: true, ${changes} }`;
  await send(mute("version: 2"));
  await send(mute("isMuted: 'yes'"));
  await send("'mute'");
  // A frame beside it is of the same origin as the site, and not the window around the page.
  await page.evaluate(`new Promise((resolve) => {
    const other = document.createElement("iframe");
    other.srcdoc = "<script>parent.frames[0].postMessage(" + ${JSON.stringify(JSON.stringify({ service: "avatar-widget", version: 1, type: "mute", isMuted: true }))} + ", '*')</" + "script>";
    other.onload = resolve;
    document.body.append(other);
  })`);
  t.equal(await isMuted(), false, "no other message, and no other window");
  await send(mute(""));
  await waitFor(async () => (await isMuted()) === true, "the site's own message");
  await send("{ service: 'avatar-widget', version: 1, type: 'theme', theme: 'dark', colour: 'pink' }");
  await frame.locator("html[data-theme=dark][data-colour=pink]").waitFor();
  await page.close();

  const elsewhere = await open(browser, api, site, { host: "https://shop.example" });
  await elsewhere.frame.locator("#page[data-state=ended]").waitFor();
  t.same(await elsewhere.page.evaluate("heard"), [], "an address that names another site tells nothing");
  await elsewhere.page.close();
}

async function sizes(t: Test, browser: Browser, api: TestApi, site: string): Promise<void> {
  for (const px of [50, 200, 400]) {
    const { page, frame } = await open(browser, api, site, { width: px, height: px, query: "deployment=gadget" });
    await frame.locator("#page[data-state=ended]").waitFor();
    await sendInit(page, { form: "floating" });
    await frame.locator("html[data-form=floating]").waitFor();
    const label = await frame.locator(".stage-disclosure").boundingBox();
    const around = await page.locator("iframe").boundingBox();
    t.ok(
      label && around && label.width > 5 && label.x >= around.x && label.x + label.width <= around.x + px,
      `${px} px`,
    );
    t.notOk(await frame.locator(".site-header").isVisible());
    t.equal(await frame.evaluate("getComputedStyle(document.body).backgroundColor"), "rgba(0, 0, 0, 0)");
    const sizes = (await page.evaluate("heard.filter(({ type }) => type === 'size')")) as { label: string }[];
    t.equal(sizes.at(-1)?.label, px < 120 ? "host" : "page", `${px} px: who has the words`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/floating-${px}.png` });
    await page.close();
  }
}

async function linked(t: Test, browser: Browser, api: TestApi): Promise<void> {
  const page = await browser.newPage();
  const words = "chat_mode=text&welcomeMsg=Call+me&suggestedQuestions=Really&greetingMsg=Hello";
  await page.goto(`${api.baseUrl}/share/nova?${words}`);
  await page.locator("#page[data-state=ended]").waitFor();
  t.equal(await page.locator("html[data-chat=text]").count(), 1);
  t.equal(await page.locator(".welcome, .questions .chip").count(), 0);
  await page.close();
}

async function chat(t: Test, browser: Browser, api: TestApi, site: string): Promise<void> {
  const query = new URLSearchParams({
    deployment: "gadget",
    chat_mode: "text",
    embed_theme: "light",
    theme_color: "purple",
    welcomeMsg: "<b>Welcome</b>",
    suggestedQuestions: "What is <i>this</i>?|How does it work?",
  }).toString();
  const { page, frame } = await open(browser, api, site, { width: 360, height: 600, query });
  await frame.locator(".welcome", { hasText: "<b>Welcome</b>" }).waitFor({ state: "attached" });
  t.same(await frame.locator(".questions .chip").allTextContents(), ["What is <i>this</i>?", "How does it work?"]);
  t.equal(await frame.locator("b, i").count(), 0, "markup is text");
  await frame.locator("#page[data-state=ended]").waitFor();
  // As it looks while a conversation goes on.
  await frame.evaluate(`for (const id of ["say", "transcript"]) document.getElementById(id).hidden = false;
    document.querySelector(".stage-notice").hidden = true;`);
  for (const [width, height] of [
    [320, 480],
    [360, 600],
    [420, 760],
  ]) {
    await page.evaluate(
      `Object.assign(document.querySelector("iframe"), { width: ${width}, height: ${height} }); undefined`,
    );
    await waitFor(async () => (await frame.evaluate("innerWidth")) === width, "the frame's size");
    const [face, words, field] = await Promise.all(
      [".stage-picture", "#transcript", "#text"].map((selector) => frame.locator(selector).boundingBox()),
    );
    t.ok(face && words && field, `${width} × ${height}`);
    if (!face || !words || !field) continue;
    t.ok(face.y + face.height <= words.y, "the face is above what was said");
    t.ok(words.height > 40, "which has room");
    t.ok(words.y + words.height <= field.y + 1, "and the text box stands below");
    t.equal(await frame.evaluate("document.scrollingElement.scrollWidth"), width, "nothing is cut off");
  }
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/chat.png` });
  /** Whether the visitor can talk, and type. */
  const ways = () =>
    frame.evaluate(`["microphone", "say-row"].map((id) => {
      const part = document.getElementById(id);
      part.hidden = false;
      return getComputedStyle(part).display !== "none";
    })`);
  t.same(await ways(), [true, true]);
  await sendInit(page, { form: "chat", allowsModeSwitch: false });
  await frame.locator("html[data-one-mode]").waitFor();
  t.same(await ways(), [false, true], "a chat for typing alone");
  await frame.evaluate("document.documentElement.dataset.chat = 'voice'");
  t.same(await ways(), [true, false], "and for talking alone");
  await page.close();
}

/** Sends the widget's first message to the page. */
async function sendInit(page: Page, changes: { form: string; allowsModeSwitch?: boolean }): Promise<void> {
  const init = {
    type: "init",
    isMuted: false,
    title: "",
    allowsModeSwitch: true,
    isTransparent: false,
    keyColour: "",
    keySimilarity: 0.4,
    keySmoothness: 0.08,
    keySpill: 0.1,
    keyErode: 0,
    ...changes,
  };
  await page.evaluate(
    `frames[0].postMessage(${JSON.stringify({ service: "avatar-widget", version: 1, ...init })}, "*")`,
  );
}

async function open(
  browser: Browser,
  api: TestApi,
  site: string,
  { width = 300, height = 400, query = "", host = site } = {},
): Promise<{ page: Page; frame: Frame }> {
  const page = await browser.newPage();
  const source = `${api.baseUrl}/share/nova?${query}#host=${encodeURIComponent(host)}`;
  await page.goto(`${site}/?${new URLSearchParams({ source, width: String(width), height: String(height) })}`);
  const frame = page.frames()[1];
  await frame.waitForLoadState();
  return { page, frame };
}

/** A site that isolates itself. Its frame and the frame's size are in its address. */
async function serveSite(t: Test): Promise<string> {
  const server = createServer((request, answer) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const source = (searchParams.get("source") ?? "").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const size = `width="${searchParams.get("width")}" height="${searchParams.get("height")}"`;
    answer
      .writeHead(200, { "content-type": "text/html", ...ISOLATED })
      .end(`<!doctype html><title>Shop</title>${LISTEN}<iframe src="${source}" ${size} style="border:0"></iframe>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
