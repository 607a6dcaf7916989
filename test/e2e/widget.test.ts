// The widgets in sites of other origins, in a real browser, with the embed page of a service without a LiveKit server:
// so each conversation ends by itself. test/e2e/widget-live.test.ts has one that goes on.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { buildWeb } from "../../web/build.ts";
import { smallAvatar } from "../helpers/faces/small-avatar.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;
const NAME = "<img src=x onerror=alert(1)>";
const NOTES = `window.heard = [];
const note = (widget) => {
  for (const type of ["ready", "live", "speaking", "caption", "ended", "error"])
    widget.addEventListener(type, ({ detail }) => heard.push({ type, ...detail }));
  return widget;
};`;

/** Shows the component with what `show` gets, or nothing. */
const REACT_APP = `
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import "./sdk/widget/index.ts";
import { AvatarWidget } from "./sdk/widget/react.ts";
const root = createRoot(document.getElementById("app"));
window.heard = [];
const hear = (type) => (detail) => heard.push({ type, ...detail });
window.show = (props) => {
  window.props = props;
  root.render(props && h(AvatarWidget, { onReady: hear("ready"), onEnded: hear("ended"), onError: hear("error"), ...props }));
};
`;

/** Name of the button that has the focus. */
const FOCUSED = `(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement.shadowRoot.activeElement)`;

interface Site {
  /** Of the page of the test. */
  url: string;
  /** What the page is, and the headers that it is sent with. */
  show(body: string, headers?: Record<string, string>, direction?: "ltr" | "rtl"): void;
  /** What `/app.js` is. */
  addScript(script: string): void;
}

interface Stage {
  browser: Browser;
  api: TestApi;
  site: Site;
}

t.test("widgets on sites of others", { skip, timeout: 240_000 }, async (t) => {
  await buildWeb();
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 100 });
    await addAgent(api.services, { userId: account.userId, code: "nova" });
    await api.services.storage.put("models/nova-essence-2.imx", await writeImx(await smallAvatar()));
    await api.call("POST", "/v1/agent/nova", { secret, body: { name: NAME } });
    const site = await serveSite(t);
    const body = { is_public: true, origins: [site.url] };
    t.equal((await api.call("PUT", "/v1/agent/nova/sharing", { secret, body })).status, 200);
    await withChromium(async (browser) => {
      const stage = { browser, api, site };
      await t.test("the script is small, and other sites may load it", (t) => served(t, stage));
      await t.test("a script tag makes a floating face; script and picture before it is opened", (t) =>
        floating(t, stage),
      );
      await t.test("hostile options are told once each, and the defaults count", (t) => hostile(t, stage));
      await t.test("messages of other frames are not heard", (t) => messages(t, stage));
      await t.test("a policy that allows our origin alone, and Trusted Types", (t) => policies(t, stage));
      await t.test("a page that isolates itself", (t) => isolated(t, stage));
      await t.test("two widgets, and a second init", (t) => two(t, stage));
      await t.test("a node that is removed and comes back", (t) => removed(t, stage));
      await t.test("a page that changes without being loaded", (t) => changes(t, stage));
      await t.test("as a React component", (t) => react(t, stage));
      await t.test("a token that is missing or expires is requested again", (t) => tokens(t, stage));
      await t.test("without storage, and with a service that is not there", (t) => denied(t, stage));
      await t.test("phones, and pages that read from right to left", (t) => sizes(t, stage));
    });
  });
});

async function served(t: Test, { api }: Stage): Promise<void> {
  const response = await fetch(`${api.baseUrl}/widget.js`, { headers: { "accept-encoding": "br" } });
  t.equal(response.status, 200);
  t.equal(response.headers.get("content-encoding"), "br");
  t.equal(response.headers.get("cross-origin-resource-policy"), "cross-origin");
  t.match(response.headers.get("cache-control"), /^public, max-age=300,/);
  t.match(response.headers.get("content-type"), /^text\/javascript/);
}

async function floating(t: Test, stage: Stage): Promise<void> {
  const page = await open(t, stage, `${tag(stage, 'data-agent-id="nova" data-button-text="Ask"')}`);
  const launch = page.locator("avatar-widget .launch");
  await launch.waitFor();
  t.equal(await launch.textContent(), "AIAsk", "its picture says that the face is generated");
  const requests = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name)",
  )) as string[];
  t.same(
    requests.filter((url) => !url.endsWith("/favicon.ico")),
    [`${stage.api.baseUrl}/widget.js`, `${stage.api.baseUrl}/share/nova/poster`],
  );
  await page.locator("avatar-widget .launch .picture img").waitFor();
  await page.locator("avatar-widget .launch .picture svg").waitFor({ state: "detached" });
  const shift = "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().length))";
  t.equal(
    await page.evaluate(`Promise.race([${shift}.observe({ type: "layout-shift", buffered: true })),
    new Promise((resolve) => setTimeout(resolve, 300, 0))])`),
    0,
    "nothing moves",
  );
  await launch.click();
  const frame = page.locator("avatar-widget iframe");
  const address = new URL((await frame.getAttribute("src")) ?? "");
  t.equal(address.origin + address.pathname, `${stage.api.baseUrl}/share/nova`);
  t.same(Object.fromEntries(address.searchParams), {
    deployment: "gadget",
    embed_theme: "light",
    theme_color: "blue",
    greetingLang: "de",
    lang: "de",
  });
  t.equal(await frame.getAttribute("allow"), "microphone *; camera *; autoplay *");
  t.match(await frame.boundingBox(), { width: 200, height: 200 });
  await page.frameLocator("avatar-widget iframe").locator("#page").waitFor();
  t.equal(await page.evaluate(FOCUSED), "Close", "the focus goes along");

  const move = page.locator("avatar-widget .move");
  const before = await frame.boundingBox();
  await move.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowUp");
  t.match(await frame.boundingBox(), { x: before!.x - 20, y: before!.y - 20 }, "keys move it");
  const handle = (await page.locator("avatar-widget .resize").boundingBox())!;
  await page.mouse.move(handle.x + 10, handle.y + 10);
  await page.mouse.down();
  await page.mouse.move(handle.x - 390, handle.y - 390, { steps: 4 });
  await page.mouse.up();
  t.match(await frame.boundingBox(), { width: 400, height: 400 }, "to the largest size and no further");
  await shoot(page, "floating");
  await page.keyboard.press("Escape");
  await launch.waitFor();
  t.equal(await page.evaluate("AvatarWidget.isOpen()"), false);
  t.equal(await page.evaluate(FOCUSED), "AIAsk", "and back");
  await waitFor(async () => (await page.locator("avatar-widget iframe").count()) === 0, "the frame has left");
}

async function hostile(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `<div id="AvatarWidget"></div>${tag(stage, "")}<script>
      AvatarWidget.init({ agentId: "nova", size: "9e9", margin: -1, position: "middle", theme: { toString: () => "dark" },
        imageUrl: "javascript:alert(1)", serviceUrl: "data:text/html,x", keyColor: "red;}", buttonText: "x".repeat(500),
        themeColor: "__proto__", autoLoad: "yes", suggestedQuestions: [1], onload: "alert(1)", constructor: 1,
        minSize: 300, maxSize: 100, greetingLanguage: "de&x=1" });
    </script>`,
  );
  await page.locator("avatar-widget .launch").click();
  t.match(await page.locator("avatar-widget iframe").boundingBox(), { width: 200, height: 200 });
  const address = new URL((await page.locator("avatar-widget iframe").getAttribute("src")) ?? "");
  t.equal(address.origin, stage.api.baseUrl);
  t.equal(address.searchParams.get("embed_theme"), "light");
  const warnings = warningsOf(page);
  t.equal(new Set(warnings).size, warnings.length, "each once");
  for (const name of ["size", "margin", "position", "theme", "imageUrl", "serviceUrl", "keyColor", "buttonText"])
    t.equal(warnings.filter((line) => line.includes(`option ${name} `)).length, 1, name);
  for (const name of ["onload", "constructor"])
    t.equal(warnings.filter((line) => line.includes(`no option "${name}"`)).length, 1, name);
  t.notOk(await page.evaluate("window.alerted"));
}

async function messages(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `${tag(stage, "")}<script>${NOTES} note(AvatarWidget.init({ agentId: "nova" })).open()</script>`,
  );
  await heardType(page, "ended");
  const before = (await page.evaluate("heard.length")) as number;
  const forged = JSON.stringify({
    service: "avatar-widget",
    version: 1,
    type: "caption",
    speaker: "avatar",
    segmentId: "1",
    text: "forged",
    isFinal: true,
  });
  await page.evaluate(`postMessage(${forged}, "*")`);
  await page.evaluate(`new Promise((resolve) => {
    const other = document.createElement("iframe");
    other.srcdoc = ${JSON.stringify(`<script>parent.postMessage(${forged}, "*")</script>`)};
    other.onload = () => setTimeout(resolve, 100);
    document.body.append(other);
  })`);
  t.same(await page.evaluate(`heard.slice(${before})`), [], "neither of the page nor of another frame");
  const frame = page.frames().find((one) => one.url().includes("/share/"))!;
  await frame.evaluate(`parent.postMessage(${forged.replace('"caption"', '"captoin"')}, "*")`);
  await frame.evaluate(`parent.postMessage(${forged}, "*")`);
  await heardType(page, "caption");
  t.equal(await page.evaluate(`heard.filter(({ type }) => type === "caption").length`), 1, "but its own");
  await frame.evaluate(
    `parent.postMessage({ service: "avatar-widget", version: 1, type: "live", agentName: ${JSON.stringify(NAME)} }, "*")`,
  );
  await heardType(page, "live");
  t.equal(await page.locator("avatar-widget .float").getAttribute("aria-label"), NAME, "markup in a name is text");
  t.equal(await page.locator("avatar-widget .float img").count(), 0);
}

async function policies(t: Test, stage: Stage): Promise<void> {
  const { origin } = new URL(stage.api.baseUrl);
  const headers = {
    "content-security-policy": `default-src 'none'; script-src ${origin}; img-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
  };
  for (const form of ["floating", "chat"]) {
    const options = `data-agent-id="nova" data-form="${form}" data-auto-load data-top-banner data-teaser-enabled data-teaser-delay="0"`;
    const page = await open(t, stage, tag(stage, options), { headers });
    await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
    t.ok((await page.locator("avatar-widget iframe").boundingBox())!.width >= 200, `${form} has its styles`);
    t.same(errorsOf(page), [], form);
  }
  const element = `<avatar-widget agent-id="nova"></avatar-widget>${tag(stage, "")}`;
  const page = await open(t, stage, element, { headers });
  await page.locator("avatar-widget .launch").click();
  await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.same(errorsOf(page), [], "inline");

  const blind = { "content-security-policy": headers["content-security-policy"].replace(/img-src [^;]*; /, "") };
  const without = await open(t, stage, tag(stage, 'data-agent-id="nova"'), { headers: blind });
  await without.locator("avatar-widget .launch .picture img").waitFor({ state: "detached" });
  t.equal(await without.locator("avatar-widget .launch .picture svg").count(), 1, "a symbol takes the picture's place");
}

async function isolated(t: Test, stage: Stage): Promise<void> {
  const headers = {
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-opener-policy": "same-origin",
  };
  const page = await open(t, stage, tag(stage, 'data-agent-id="nova" data-auto-load'), { headers });
  await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.equal(await page.evaluate("crossOriginIsolated"), true);
  const picture = "document.querySelector('avatar-widget').shadowRoot.querySelector('img').naturalWidth > 0";
  t.equal(await page.evaluate(picture), true, "its picture");
}

async function two(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `<avatar-widget id="one" agent-id="nova" class="box"></avatar-widget>
     <avatar-widget id="two" agent-id="nova" class="box" theme="dark"></avatar-widget>
     ${tag(stage, 'data-agent-id="nova" data-position="top-left"')}${tag(stage, 'data-agent-id="nova"')}`,
  );
  for (const id of ["one", "two"]) {
    await page.locator(`#${id} .launch`).click();
    await page.frameLocator(`#${id} iframe`).locator("#page[data-state=ended]").waitFor();
  }
  t.equal(await page.locator("avatar-widget").count(), 3, "two elements and the script tag's own");
  t.equal(warningsOf(page).filter((line) => line.includes("this init is ignored")).length, 1);
  await page.evaluate("document.getElementById('one').close()");
  t.ok(await page.evaluate("document.getElementById('two').isOpen()"), "each is its own");
  await page.evaluate("AvatarWidget.destroy()");
  t.equal(await page.locator("avatar-widget").count(), 2);
  await page.evaluate("AvatarWidget.init({ agentId: 'nova' })");
  t.equal(await page.locator("avatar-widget").count(), 3, "after destroy another init counts");
  await shoot(page, "two");
}

async function removed(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `<avatar-widget agent-id="nova" class="box"></avatar-widget>${tag(stage, "")}
     <script>${NOTES} note(document.querySelector("avatar-widget")).open()</script>`,
  );
  await heardType(page, "ended");
  const frame = page.frames().find((one) => one.url().includes("/share/"))!;
  await frame.evaluate(
    `parent.postMessage({ service: "avatar-widget", version: 1, type: "live", agentName: "Nova" }, "*")`,
  );
  await heardType(page, "live");
  await page.evaluate("heard.length = 0, window.node = document.querySelector('avatar-widget'), node.remove()");
  await heardType(page, "ended");
  t.same(await page.evaluate("heard.map(({ reason }) => reason)"), ["removed"]);
  await page.evaluate("node.say('Hello'), node.mute(), document.body.append(node)");
  await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.equal(await page.locator("avatar-widget iframe").count(), 1);
  t.same(errorsOf(page), []);
  // The browser says that this agent is not shared with the site.
  await page.evaluate("node.setAttribute('agent-id', 'other'), node.setAttribute('theme', 'dark')");
  await waitFor(
    async () => (await page.locator("avatar-widget iframe").getAttribute("src"))?.includes("/share/other"),
    "another agent",
  );
}

async function changes(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `<main><avatar-widget agent-id="nova" class="box"></avatar-widget></main><section></section>${tag(stage, "")}
     <script>${NOTES} window.node = note(document.querySelector("avatar-widget")); node.open()</script>`,
  );
  await heardType(page, "ended");
  await page.evaluate(
    `heard.length = 0, history.pushState({}, "", "/#two"), document.querySelector("section").append(node)`,
  );
  await heardType(page, "ended");
  t.notOk(await page.evaluate(`heard.some(({ reason }) => reason === "removed")`), "it moved, and stays open");
  t.equal(await page.locator("section avatar-widget iframe").count(), 1);
  await page.evaluate(`history.pushState({}, "", "/#three"), document.body.innerHTML = "<p>Another page</p>"`);
  await waitFor(() => page.frames().length === 1, "its frame leaves with it");
  await page.evaluate(
    `document.body.innerHTML = '<avatar-widget agent-id="nova" auto-load></avatar-widget>', AvatarWidget.init({ agentId: "nova" })`,
  );
  await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.equal(await page.locator("avatar-widget").count(), 2, "markup that a script adds, and init");
  await page.evaluate("history.back()");
  t.equal(await page.locator("avatar-widget iframe").count(), 1, "the frame adds nothing to the page's history");
  t.same(errorsOf(page), []);
}

async function react(t: Test, stage: Stage): Promise<void> {
  const bundled = await build({
    stdin: { contents: REACT_APP, resolveDir: process.cwd(), loader: "js" },
    bundle: true,
    format: "iife",
    minify: true,
    write: false,
    logLevel: "silent",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  stage.site.addScript(bundled.outputFiles[0].text);
  const page = await open(t, stage, `<div id="app"></div><script src="/app.js"></script>`);
  await page.evaluate(`show({ agentId: "nova", serviceUrl: ${JSON.stringify(stage.api.baseUrl)}, className: "box" })`);
  const widget = page.locator("avatar-widget");
  await widget.locator(".launch", { hasText: "Chat" }).click();
  await heardType(page, "ended");
  t.equal(await widget.getAttribute("class"), "box");
  await page.evaluate(
    `heard.length = 0, show({ ...props, theme: "dark", getToken: () => (window.asked = true, "x") })`,
  );
  await widget.locator(".root[data-theme=dark]").waitFor();
  t.same(await page.evaluate("heard"), [], "another theme and another callback leave the conversation");
  await page.evaluate(
    `show({ ...props, agentId: "other", suggestedQuestions: ["a|b", "c"], onElement: (one) => (window.node = one) })`,
  );
  await waitFor(async () => (await page.evaluate("window.asked")) === true, "another agent, with the callback's token");
  t.equal(await page.evaluate("node.isOpen()"), true);
  await page.evaluate("show(undefined)");
  await waitFor(() => page.frames().length === 1, "it leaves with its component");
  t.equal(await page.evaluate("node"), null);
  t.same(errorsOf(page), []);
}

async function tokens(t: Test, stage: Stage): Promise<void> {
  const page = await open(
    t,
    stage,
    `${tag(stage, "")}<script>${NOTES} window.asked = 0;
      note(AvatarWidget.init({ agentId: "nova", getToken: async () => "wrong-" + ++asked })).open();</script>`,
  );
  const frame = page.locator("avatar-widget iframe");
  t.equal(new URL((await frame.getAttribute("src")) ?? "").pathname, "/embed/nova");
  await waitFor(async () => ((await page.evaluate("asked")) as number) >= 2, "another token than the refused one");
  await page.evaluate("AvatarWidget.destroy()");
  await page.evaluate(
    "note(AvatarWidget.init({ agentId: 'nova', getToken: () => { throw new Error('no token') } })).open()",
  );
  await heardType(page, "error");
  t.match(await page.evaluate("heard.find(({ type }) => type === 'error')"), { code: "TOKEN_MISSING" });
  t.match(await page.locator("avatar-widget .notice").textContent(), /could not be started.*Try again/);
}

async function denied(t: Test, stage: Stage): Promise<void> {
  const page = await stage.browser.newPage();
  t.teardown(() => page.close());
  await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });`);
  watchConsole(page);
  stage.site.show(tag(stage, 'data-agent-id="nova" data-auto-load'));
  await page.goto(stage.site.url);
  await page.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.same(errorsOf(page), []);

  const gone = await open(
    t,
    stage,
    `${tag(stage, "")}<script>${NOTES} note(AvatarWidget.init({ agentUrl: "http://127.0.0.1:9/share/nova" })).open()</script>`,
    { clock: true },
  );
  await gone.clock.runFor(16_000);
  await heardType(gone, "error");
  t.match(await gone.evaluate("heard[0]"), { code: "FRAME_SILENT" });
}

async function sizes(t: Test, stage: Stage): Promise<void> {
  const html = (options: string) => tag(stage, `data-agent-id="nova" data-auto-load ${options}`);
  const phone = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true };
  const chat = await open(t, stage, html('data-form="chat"'), { context: phone });
  const panel = chat.locator("avatar-widget .panel");
  await panel.waitFor();
  const filled = async () => {
    const { x = 1, y = 1, width = 0, height = 0 } = (await panel.boundingBox()) ?? {};
    return [x, y, width, height].map(Math.round).join() === "0,0,320,568";
  };
  await waitFor(filled, "the chat that fills a phone");
  t.ok(await chat.locator("avatar-widget .label").isVisible(), "with its label");
  await shoot(chat, "chat-phone");
  const small = await open(t, stage, html('data-size="400" data-max-size="400"'), { context: phone });
  const box = (await small.locator("avatar-widget .face").boundingBox())!;
  t.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 320 && box.y + box.height <= 568, "the face fits");
  const tiny = await open(t, stage, html('data-size="50" data-min-size="50"'));
  await tiny.frameLocator("avatar-widget iframe").locator("#page[data-state=ended]").waitFor();
  t.ok(await tiny.locator("avatar-widget .label").isVisible(), "the smallest face has its label beside it");
  const rtl = await open(t, stage, tag(stage, 'data-agent-id="nova" data-form="chat" data-fab-subtext="Online"'), {
    direction: "rtl",
  });
  const fab = (await rtl.locator("avatar-widget .launch").boundingBox())!;
  t.ok(fab.x <= 20, "the button is at the left");
  const [picture, words] = await Promise.all(
    [".launch .picture", ".launch .words"].map((part) => rtl.locator(`avatar-widget ${part}`).boundingBox()),
  );
  t.ok(picture!.x > words!.x, "and begins at the right");
  await shoot(rtl, "chat-rtl");
}

function tag({ api }: Stage, attributes: string): string {
  return `<script src="${api.baseUrl}/widget.js" ${attributes}></script>`;
}

interface OpenOptions {
  headers?: Record<string, string>;
  context?: BrowserContextOptions;
  direction?: "ltr" | "rtl";
  /** The page's clock is the test's. */
  clock?: boolean;
}

async function open(t: Test, { browser, site }: Stage, body: string, options: OpenOptions = {}): Promise<Page> {
  const { headers, context, direction = "ltr", clock = false } = options;
  const page = await browser.newPage(context);
  t.teardown(() => page.close());
  if (clock) await page.clock.install();
  watchConsole(page);
  site.show(body, headers, direction);
  await page.goto(site.url);
  return page;
}

const consoles = new WeakMap<Page, { warnings: string[]; errors: string[] }>();

/** Errors of the page itself: those of the frame, which has no LiveKit server, are its own. */
function watchConsole(page: Page): void {
  const lines = { warnings: [] as string[], errors: [] as string[] };
  consoles.set(page, lines);
  page.on("pageerror", (error) => lines.errors.push(String(error)));
  page.on("console", (message) => {
    const isOfSite = !/\/(share|embed|assets)\//.test(message.location().url);
    if (message.type() === "warning" && isOfSite) lines.warnings.push(message.text());
    if (message.type() === "error" && /Content.Security|Trusted|inline/i.test(message.text()))
      lines.errors.push(message.text());
  });
}

function warningsOf(page: Page): string[] {
  return consoles.get(page)!.warnings.filter((line) => line.startsWith("[avatar-widget]"));
}

function errorsOf(page: Page): string[] {
  return consoles.get(page)!.errors;
}

async function heardType(page: Page, type: string): Promise<void> {
  const find = `heard.some((one) => one.type === ${JSON.stringify(type)})`;
  await waitFor(async () => (await page.evaluate(find)) === true, `the event ${type}`);
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

async function serveSite(t: Test): Promise<Site> {
  let shown = { html: "", headers: {} as Record<string, string> };
  let script = "";
  const server = createServer((request, answer) => {
    if (request.url === "/app.js") return answer.writeHead(200, { "content-type": "text/javascript" }).end(script);
    if (request.url !== "/") return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": "text/html; charset=utf-8", ...shown.headers }).end(shown.html);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    show: (body, headers = {}, direction = "ltr") => {
      const html = `<!doctype html><html lang="de" dir="${direction}"><title>Shop</title>
        <meta name="viewport" content="width=device-width"><body><p>A shop</p>${body}`;
      shown = { html, headers };
    },
    addScript: (next) => {
      script = next;
    },
  };
}
