// The face that speaks inside a conversation: tools of a real service, a host with the official bridge, a real browser.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../../lab/bench/with-chromium.ts";
import { SPEAKING_FACE_URI } from "../../../mcp/speaking-face-page.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { buildSpeakingFace } from "../../../web/build-speaking-face.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { axeViolations } from "../../helpers/pages/axe-violations.ts";
import {
  type AppHost,
  DEFAULT_APP_POLICY,
  type OpenedApp,
  type ShownApp,
  WASM_APP_POLICY,
  withAppHost,
} from "../../helpers/pages/with-app-host.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type Assistant, connectHttp, connectStdio } from "../../helpers/service/connect-assistant.ts";
import { withApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../../cli/avatar.mjs", import.meta.url));
const ARTIFACTS = join(import.meta.dirname, "..", "..", ".artifacts");
const TEXT =
  "Papa bought five open boxes. Oh, my mother always heard a far piano. Bob and Pam may buy a map, and we saw a big brown owl go by.";
/** As docs/mcp.md says. */
const PAGE_LIMIT_BYTES = 320_000;
/** A host that shows neither films nor sounds of media elements. */
const NO_MEDIA_POLICY = DEFAULT_APP_POLICY.replace("media-src 'self' data:", "media-src 'none'");
/** How often the face is looked at, and how often its mouth is another one while it speaks. */
const LOOKS = 30;
const LEAST_MOUTHS = 12;
/** A browser that lets nothing play, until `hearAgain`. */
const DEAF = `const Real = AudioContext;
const { resume } = Real.prototype;
globalThis.AudioContext = class extends Real { constructor(options) { super(options); this.suspend(); } };
Real.prototype.resume = () => new Promise(() => undefined);
globalThis.hearAgain = () => { Real.prototype.resume = resume; };`;
const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a face speaks inside the conversation", { skip, timeout: 580_000 }, async (t) => {
  await mkdir(ARTIFACTS, { recursive: true });
  await buildSpeakingFace();
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: "business", credits: 100 });
      const code = await addAgent(api.services, { userId: account.userId, name: "Ada", hasFace: true });
      await api.services.storage.put(`models/${code}-essence-2.imx`, await writeImx(await bakedFace("drawing")));
      const http = await connectHttp("2026-07-28", api.baseUrl, { "api-secret": secret });
      const shown = await callTool(t, http, code);
      await withAppHost(async (host) => {
        await t.test("rendered where the policy lets WebAssembly run", (t) => rendered(t, host, shown));
        await t.test("narrow, dark, by keyboard, with reduced motion", (t) => narrow(t, host, shown));
        await t.test("in the person's language", (t) => translated(t, host, shown));
        await t.test("a browser that blocks sound", (t) => blocked(t, host, shown));
        await t.test("a film under the default policy", (t) => filmed(t, host, shown));
        await t.test("the voice beside the picture, without media", (t) => heard(t, host, shown));
        await t.test("a face of this computer, without a service", (t) => local(t, host));
        await t.test("a host that passes nothing on, and calls that fail", (t) => refused(t, host, shown));
        await t.test("the same over avatar mcp", async (t) => {
          const { PATH = "" } = process.env;
          const folder = t.testdir();
          const env = { PATH, HOME: folder, AVATAR_API_URL: api.baseUrl, AVATAR_API_SECRET: secret };
          const stdio = await connectStdio("2025", {
            command: process.execPath,
            args: [AVATAR, "mcp"],
            cwd: folder,
            env,
          });
          await speaks(t, await host.open({ ...(await callTool(t, stdio, code)), policy: WASM_APP_POLICY }));
          await stdio.close();
        });
      });
      await http.close();
    },
    { environment: { AVATAR_VOICE: "formant" } },
  );
});

type Shown = Omit<ShownApp, "policy"> & { calls: string[] };

/** What a host has after it called the tool. */
async function callTool(t: Test, assistant: Assistant, agent_id: string): Promise<Shown> {
  const client = assistant.client as Client;
  const { tools } = await client.listTools();
  const about = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta]));
  t.match(about.show_agent_speaking, { ui: { resourceUri: SPEAKING_FACE_URI } });
  t.same(about.get_face_part, { ui: { visibility: ["app"] } }, "assistants need not see it");
  const { resources } = await client.listResources();
  const [{ _meta, mimeType }] = resources;
  t.same(
    resources.map(({ uri }) => uri),
    [SPEAKING_FACE_URI],
  );
  const { contents } = await client.readResource({ uri: SPEAKING_FACE_URI });
  t.match(contents, [{ uri: SPEAKING_FACE_URI, mimeType: "text/html;profile=mcp-app", _meta }]);
  t.equal(mimeType, "text/html;profile=mcp-app");
  for (const domains of Object.values((_meta as { ui: { csp: object } }).ui.csp))
    t.same(domains, [], "nothing foreign");
  const html = String((contents[0] as { text?: string }).text);
  t.comment(`the page has ${Buffer.byteLength(html)} bytes`);
  t.ok(Buffer.byteLength(html) < PAGE_LIMIT_BYTES, `${Buffer.byteLength(html)} bytes`);
  await t.rejects(client.readResource({ uri: "ui://open-avatar-service/other.html" }));
  const given = { agent_id, text: TEXT };
  const result = await client.callTool({ name: "show_agent_speaking", arguments: given });
  t.match(result, { structuredContent: { agent_id, name: "Ada", text: TEXT, film_credits: 4 } });
  const calls: string[] = [];
  return {
    html,
    given,
    result,
    calls,
    async callTool(name, args) {
      calls.push(`${name} ${args.part ?? ""}`.trim());
      return client.callTool({ name, arguments: args });
    },
  };
}

const room = ({ frame }: OpenedApp, state: string) => frame.locator(`#room[data-state="${state}"]`);
const snap = ({ page }: OpenedApp, name: string) => page.screenshot({ path: join(ARTIFACTS, `app-${name}.png`) });

/** Presses, looks at the mouth while it speaks, and waits for the end. */
async function speaks(t: Test, app: OpenedApp, name?: string): Promise<void> {
  const { frame, problems, requests } = app;
  await room(app, "ready").waitFor();
  t.equal(await frame.locator("#room").getAttribute("data-way"), "face");
  await frame.locator("#play").click();
  await room(app, "speaking").waitFor();
  const mouths = await countSpeaking(app);
  if (name) await snap(app, name);
  t.ok(mouths >= LEAST_MOUTHS, `${mouths} of ${LOOKS} looks at the mouth differ while it speaks`);
  t.equal(await frame.locator("#words").textContent(), TEXT, "what it says can be read");
  await room(app, "finished").waitFor();
  t.same(problems, [], "no error, none of the policy either");
  t.same(requests, [], "no request leaves");
}

/** The same, once the face has begun. */
async function countSpeaking(app: OpenedApp): Promise<number> {
  await app.frame.waitForFunction(
    () => (document.querySelector("avatar-face") as { state?: string } | null)?.state === "speaking",
  );
  return countMouths(app);
}

/** The host's language counts more than the browser's. */
async function translated(t: Test, host: AppHost, shown: Shown): Promise<void> {
  for (const [locale, language, words] of [
    ["de-AT", "de", "Sprechen"],
    [undefined, "es", "Hablar"],
  ] as const) {
    const app = await host.open({ ...shown, policy: WASM_APP_POLICY, locale, context: { locale: "es-MX" } });
    await room(app, "ready").waitFor();
    t.equal(await app.frame.locator("#play").textContent(), words);
    t.equal(await app.frame.evaluate(() => document.documentElement.lang), language);
    t.same(await axeViolations(app.page), []);
    await app.page.context().close();
  }
}

/** Looks at the lower half of the face, 0.1 s apart. */
function countMouths({ frame }: OpenedApp): Promise<number> {
  return frame.evaluate(async (looks) => {
    const canvas = document.querySelector("avatar-face")?.shadowRoot?.querySelector("canvas");
    if (!canvas) return 0;
    const copy = new OffscreenCanvas(24, 12).getContext("2d", { willReadFrequently: true })!;
    const seen: Uint8ClampedArray[] = [];
    for (let look = 0; look < looks; look++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { width, height } = canvas;
      copy.drawImage(canvas, 0.4 * width, 0.55 * height, 0.22 * width, 0.15 * height, 0, 0, 24, 12);
      seen.push(copy.getImageData(0, 0, 24, 12).data);
    }
    const difference = (a: Uint8ClampedArray, b: Uint8ClampedArray) =>
      a.reduce((sum, value, index) => sum + Math.abs(value - b[index]), 0) / a.length;
    return seen.slice(1).filter((mouth, index) => difference(mouth, seen[index]) > 1).length;
  }, LOOKS);
}

/** A face and a voice of this computer alone, without a service. */
async function local(t: Test, host: AppHost): Promise<void> {
  const folder = t.testdir();
  await writeFile(join(folder, "maya.imx"), await writeImx(await bakedFace("drawing")));
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, TMPDIR: folder, AVATAR_VOICE: "formant", AVATAR_API_URL: "http://127.0.0.1:9" };
  const stdio = await connectStdio("2025", { command: process.execPath, args: [AVATAR, "mcp"], cwd: folder, env });
  const { client } = stdio;
  const { contents } = await client!.readResource({ uri: SPEAKING_FACE_URI });
  const given = { avatar: "maya.imx", text: TEXT };
  const result = await client!.callTool({ name: "show_face_speaking", arguments: given });
  t.match(result, {
    structuredContent: { name: "maya", film_credits: 0, is_local: true },
    content: [{ type: "image" }],
  });
  const shown: Omit<ShownApp, "policy"> = {
    html: String((contents[0] as { text?: string }).text),
    given,
    result,
    callTool: async (name, args) => client!.callTool({ name, arguments: args }, { timeout: 120_000 }),
  };
  const face = await host.open({ ...shown, policy: WASM_APP_POLICY });
  await speaks(t, face);
  await face.page.context().close();
  const film = await host.open({ ...shown, policy: DEFAULT_APP_POLICY });
  await room(film, "ready").waitFor();
  t.equal(await film.frame.locator("#play").textContent(), "Make the film", "it costs nothing");
  await film.frame.locator("#play").click();
  await room(film, "speaking").waitFor({ timeout: 90_000 });
  await room(film, "finished").waitFor();
  await film.page.context().close();
  const outside = await stdio.call("show_face_speaking", { avatar: "../maya.imx", text: "Hi." });
  t.match(outside, { isError: true, data: { code: "OUTSIDE_ROOT" } });
  const gone = await stdio.call("get_face_part", { agent_id: "local-0", part: "face" });
  t.match(gone, { isError: true, data: { code: "NOT_FOUND", hint: /show_face_speaking/ } });
  await stdio.close();
  const isClean = async () => (await readdir(folder)).every((name) => !name.startsWith("avatar-mcp-"));
  await waitFor(isClean, "the server removes what it kept");
}

async function rendered(t: Test, host: AppHost, shown: Shown): Promise<void> {
  const app = await host.open({ ...shown, policy: WASM_APP_POLICY });
  const { page, frame } = app;
  await room(app, "ready").waitFor();
  const still = await countMouths(app);
  t.ok(still < LEAST_MOUTHS / 2, `at rest ${still} looks differ: it has not spoken before the press`);
  await snap(app, "ready");
  await speaks(t, app, "speaking");
  await snap(app, "finished");
  t.same(await axeViolations(page), []);
  t.notOk(
    shown.calls.some((call) => /video|film/.test(call)),
    "no film was ordered",
  );
  const told = await page.evaluate(() => window.heights.at(-1));
  t.equal(
    told,
    await frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height)),
    "the host knows its height",
  );
  await frame.locator("#play", { hasText: "Say it again" }).click();
  await room(app, "speaking").waitFor();
  t.ok((await countSpeaking(app)) >= LEAST_MOUTHS, "it moves again");
  await frame.locator("#play", { hasText: "Stop" }).click();
  await room(app, "finished").waitFor();
  t.same(await page.evaluate(() => window.teardown()), {}, "it lets the host take it away");
  t.equal(await frame.locator("avatar-face").count(), 0);
  await page.context().close();
}

async function narrow(t: Test, host: AppHost, shown: Shown): Promise<void> {
  const app = await host.open({
    ...shown,
    policy: WASM_APP_POLICY,
    theme: "dark",
    context: { viewport: { width: 320, height: 800 }, reducedMotion: "reduce" },
  });
  const { page, frame } = app;
  await room(app, "ready").waitFor();
  t.equal(await countMouths(app), 0, "the face stands still before it speaks");
  t.ok(
    await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "nothing is wider than the frame",
  );
  const ground = () => frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  t.equal(await ground(), "rgb(21, 22, 26)");
  await page.keyboard.press("Tab");
  t.equal(await frame.evaluate(() => document.activeElement?.id), "play");
  await page.keyboard.press("Enter");
  await room(app, "speaking").waitFor();
  t.ok((await countSpeaking(app)) >= LEAST_MOUTHS, "its lips move");
  await snap(app, "narrow-dark");
  t.same(await axeViolations(page), []);
  await page.evaluate(() => window.setTheme("light"));
  await frame.locator("html[data-theme=light]").waitFor();
  t.equal(await ground(), "rgb(244, 242, 238)");
  await page.keyboard.press("Space");
  await room(app, "finished").waitFor();
  t.same([app.problems, app.requests], [[], []]);
  await page.context().close();
}

async function blocked(t: Test, host: AppHost, shown: Shown): Promise<void> {
  const app = await host.open({ ...shown, policy: WASM_APP_POLICY, initScript: DEAF });
  const { page, frame } = app;
  await room(app, "ready").waitFor();
  await frame.locator("#play").click();
  await room(app, "blocked").waitFor();
  await snap(app, "blocked");
  t.match(await frame.locator("#notice").textContent(), /plays nothing before you press/);
  await frame.evaluate("hearAgain()");
  await frame.locator("#play", { hasText: "Play with sound" }).click();
  await room(app, "speaking").waitFor();
  await room(app, "finished").waitFor();
  await page.context().close();
}

/** Chromium reports the page's own questions whether WebAssembly and media may run. */
const withoutProbes = (problems: readonly string[]) =>
  problems.filter((text) => !/WebAssembly|wasm|data:audio\/wav|blob:/i.test(text));

async function filmed(t: Test, host: AppHost, shown: Shown): Promise<void> {
  shown.calls.length = 0;
  const app = await host.open({ ...shown, policy: DEFAULT_APP_POLICY });
  const { page, frame } = app;
  await room(app, "ready").waitFor();
  t.equal(await frame.locator("#room").getAttribute("data-way"), "film");
  t.same(shown.calls, [], "nothing is fetched, and nothing ordered, before the press");
  t.ok(await frame.locator("#poster").isVisible());
  await snap(app, "film-offer");
  await frame.locator("#play", { hasText: "Make the film (4 credits)" }).click();
  await frame.locator('#room[data-state="loading"]').waitFor();
  await room(app, "speaking").waitFor();
  const timeOf = () => frame.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
  await frame.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.5);
  await snap(app, "film");
  t.match(await frame.locator("video").evaluate((video: HTMLVideoElement) => [video.src.slice(0, 15), video.muted]), [
    "data:video/mp4;",
    false,
  ]);
  t.ok(await frame.locator("#label").isVisible(), "it says that the face was generated");
  await room(app, "finished").waitFor();
  t.ok((await timeOf()) > 2, "the film was played to its end");
  const { length } = shown.calls;
  await frame.locator("#play", { hasText: "Say it again" }).click();
  await room(app, "speaking").waitFor();
  await room(app, "finished").waitFor();
  t.equal(shown.calls.length, length, "the film is ordered once");
  t.equal(shown.calls.filter((call) => call.startsWith("create_video")).length, 1);
  t.same(withoutProbes(app.problems), []);
  t.same(app.requests, []);
  t.same(await axeViolations(page), []);
  await page.context().close();
}

async function heard(t: Test, host: AppHost, shown: Shown): Promise<void> {
  const noFilms = {
    ...shown.result,
    structuredContent: { ...(shown.result.structuredContent as object), film_credits: null },
  };
  const app = await host.open({ ...shown, result: noFilms, policy: NO_MEDIA_POLICY });
  const { page, frame } = app;
  await room(app, "ready").waitFor();
  t.equal(await frame.locator("#room").getAttribute("data-way"), "poster");
  t.ok(await frame.locator("#poster").isVisible());
  t.match(await frame.locator("#notice").textContent(), /You hear the voice/);
  const pressedMs = Date.now();
  await frame.locator("#play", { hasText: "Speak" }).click();
  await room(app, "speaking").waitFor();
  await snap(app, "poster");
  await room(app, "finished").waitFor();
  t.ok(Date.now() - pressedMs > 2_000, "the voice was played to its end");
  t.same(withoutProbes(app.problems), []);
  t.same(app.requests, []);
  await page.context().close();

  shown.calls.length = 0;
  const forbidden = await host.open({ ...shown, policy: NO_MEDIA_POLICY });
  await room(forbidden, "ready").waitFor();
  t.equal(await forbidden.frame.locator("#room").getAttribute("data-way"), "poster");
  t.same(shown.calls, ["get_face_part speech"], "no film is offered, let alone ordered, that could not be shown");
  await forbidden.page.context().close();

  const { structuredContent } = shown.result as { structuredContent: object };
  const error = { code: "INSUFFICIENT_BALANCE", message: "Too few credits" };
  const poor = await host.open({
    ...shown,
    policy: DEFAULT_APP_POLICY,
    result: { ...shown.result, structuredContent: { ...structuredContent, film_credits: 1 } },
    async callTool(name, args) {
      if (name !== "create_video") return shown.callTool(name, args);
      return { isError: true, content: [{ type: "text", text: JSON.stringify({ error }) }] };
    },
  });
  await room(poor, "ready").waitFor();
  await poor.frame.locator("#play", { hasText: "Make the film (1 credit)" }).click();
  await poor.frame.locator('#room[data-way="poster"][data-state="ready"]').waitFor();
  t.equal(await poor.frame.locator("#notice").textContent(), "Too few credits. You hear the voice.");
  await poor.page.context().close();
}

async function refused(t: Test, host: AppHost, shown: Shown): Promise<void> {
  const app = await host.open({ ...shown, hasTools: false, policy: WASM_APP_POLICY });
  await room(app, "failed").waitFor();
  t.match(await app.frame.locator("#notice").textContent(), /lets the page ask for nothing/);
  t.equal(await app.frame.locator("#words").textContent(), TEXT, "its words can be read");
  t.ok(await app.frame.locator("#poster").isVisible(), "and its face is there");
  await snap(app, "refused");
  await app.page.context().close();

  const error = { code: "NOT_FOUND", message: "Agent not found: <img src=x>" };
  const failed = { isError: true, content: [{ type: "text", text: JSON.stringify({ error }) }] };
  const wrong = await host.open({ ...shown, result: failed, policy: DEFAULT_APP_POLICY });
  await room(wrong, "failed").waitFor();
  t.equal(await wrong.frame.locator("#notice").textContent(), error.message);
  t.ok(await wrong.frame.locator("#play").isHidden(), "there is nothing to try again");
  await wrong.page.context().close();

  let tries = 0;
  const flaky = await host.open({
    ...shown,
    policy: WASM_APP_POLICY,
    async callTool(name, args) {
      if (tries++ === 0) return failed;
      return shown.callTool(name, args);
    },
  });
  await room(flaky, "failed").waitFor();
  await flaky.frame.locator("#play", { hasText: "Try again" }).click();
  await room(flaky, "ready").waitFor();
  t.equal(await flaky.frame.locator("#room").getAttribute("data-way"), "face");
  await flaky.page.context().close();
}
