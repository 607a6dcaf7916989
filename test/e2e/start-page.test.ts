// The start page in a real browser in front of the whole service: a photograph comes to life, and talks.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../helpers/pages/axe-violations.ts";
import { give, makeItTalk, newVisitor, OBSERVE_STEPS, untilAlive, untilState } from "../helpers/pages/start-page.ts";
import { KEEP_LOUDEST_SAMPLE } from "../helpers/rooms/loudest-sample.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const ASTRONAUT = join(PROJECT, "test", "fixtures", "portraits", "astronaut.png");
/** A drawn robot: its face is detected, but as uncertain. */
const ROBOT = join(PROJECT, "models", "gallery", "bolt.png");
const LIVE_MS = 60_000;
/** A name that leads to this machine, as an address behind a proxy or a rebound name does. */
const FLAGS = ["--host-resolver-rules=MAP avatars.test 127.0.0.1"];

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a photograph on the start page becomes an avatar that talks", { skip, timeout: 600_000 }, async (t) => {
  await mkdir(ARTIFACTS, { recursive: true });
  await withStack((stack) =>
    withChromium(async (browser) => {
      await t.test("on the machine of the service", (t) => ownMachine(t, browser, stack));
      await t.test("by another name of it, with an API secret", (t) => withSecret(t, browser, stack));
      await t.test("in the console", (t) => inConsole(t, browser, stack));
    }, FLAGS),
  );
});

async function ownMachine(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  page.on("dialog", (dialog) => void dialog.accept());
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && !request.url().endsWith("/home/access")) posts.push(request.url());
  });
  // Links name 127.0.0.1; the page must work by every name of this machine.
  await page.goto(`${baseUrl.replace("127.0.0.1", "localhost")}/`);
  await untilState(page, "empty");

  await t.test("a dropped photograph moves before anything is sent, and goes on moving until it talks", async (t) => {
    await give(page, "drop", { name: "astronaut.png", type: "image/png", bytes: await readFile(ASTRONAUT) });
    await untilState(page, "chosen");
    await untilAlive(page);
    t.same(posts, [], "nothing was sent");
    await page.locator("#name").fill("Eileen");
    await page.locator("#character").fill("An astronaut");
    await page.evaluate(OBSERVE_STEPS);

    await page.context().setOffline(true);
    await makeItTalk(page);
    await untilState(page, "refused");
    t.match(await page.locator("#repeat").textContent(), /^Try again \(\d\)$/);
    await page.context().setOffline(false);
    await page.locator('#create[data-state="making"]').waitFor();
    t.pass("the page tries again by itself");
    await untilAlive(page);

    await untilState(page, "talking");
    const steps = (await page.evaluate("window.steps")) as string[];
    t.equal(steps[0], "Sending the picture");
    t.equal(steps.at(-1), "Coming to you");
    t.match(page.url(), /#agent=page-[0-9a-f-]+$/);
    t.notOk(await page.locator("#next").isVisible(), "what next is asked once it has spoken");
    const frame = await untilLive(page);
    t.match(await frame.locator("body").textContent(), /Eileen/);
    await frame.locator("#text").click();
    await frame.evaluate(KEEP_LOUDEST_SAMPLE);
    await frame.locator("#text").fill("Hello. This is my own photograph.");
    await page.keyboard.press("Enter");
    await waitFor(async () => Number(await frame.evaluate("window.loudest")) > 0.05, "audio");
    await page.locator("#next").waitFor();
    t.equal(await page.locator("#next .card:visible").count(), 4);
    t.same(await axeViolations(page), []);
    await page.screenshot({ path: join(ARTIFACTS, "start-page.png"), fullPage: true });
  });

  await t.test("it can be put on a site, given to an agent, filmed, taken along and shared", async (t) => {
    await page.locator("#frame-copy").click();
    await page.locator("#frame-code").waitFor();
    t.match(await page.locator("#frame-code").inputValue(), /^<iframe src="http.+\/a\/\w+"/);
    await page.locator("#agent-copy").click();
    t.match(await page.locator("#agent-code").inputValue(), /agent_id: "page-/);
    t.match(await page.locator("#film-price").textContent(), /4 credits/);
    await page.locator("#film-text").fill("Hello.");
    await page.locator("#film-make").click();
    await page.locator("#film-said", { hasText: "4 credits" }).waitFor({ timeout: LIVE_MS });
    await waitFor(
      async () => Number(await page.evaluate("document.getElementById('film-shown').duration")) > 0.3,
      "film",
    );
    const imx = await page.request.get((await page.locator("#download").getAttribute("href")) ?? "");
    t.equal(imx.status(), 200);
    await page.locator("#share").click();
    await page.locator("#share-link").waitFor();
    const link = await page.locator("#share-link").inputValue();
    t.ok(link.length < 80, link);
    const guest = await newVisitor(browser);
    await guest.page.goto(link);
    await guest.page.getByText("Eileen").first().waitFor();
    await guest.page.context().close();
  });

  await t.test("it is there again after a reload, is changed, listed and deleted", async (t) => {
    await page.reload();
    await untilState(page, "talking");
    await untilLive(page);
    await page.locator("#change-voices label", { hasText: "Alex" }).click();
    await page.locator("#change-character").fill("You are a pilot.");
    await page.locator("#change-save").click();
    await page.locator("#change-said", { hasText: "Saved" }).waitFor();
    const code = /page-[0-9a-f-]+/.exec(page.url())?.[0];
    const agent = () => fetch(`${baseUrl}/v1/agent/${code}`, { headers: { "api-secret": apiSecret } });
    const { data } = (await (await agent()).json()) as { data: Record<string, unknown> };
    t.match(data, { name: "Eileen", voice_id: "M1", system_prompt: "You are a pilot." });
    await page.locator("#talking-another").click();
    await untilState(page, "empty");
    t.notMatch(page.url(), /agent/);
    await page.locator("#own-list .own-name", { hasText: "Eileen" }).click();
    await untilState(page, "talking");
    await page.locator("#delete").click();
    await untilState(page, "empty");
    t.equal((await agent()).status, 404);
    await waitFor(async () => (await page.locator("#own-list li").count()) === 0, "an empty list");
  });

  await t.test("a sample face talks, too", async () => {
    await page.locator("#talk-sample").click();
    await untilState(page, "talking");
    await untilLive(page);
  });

  t.same(problems, [], "no other console errors, no violation of the policy");
  await page.context().close();
}

async function withSecret(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  const { page, problems } = await newVisitor(browser, { viewport: { width: 360, height: 740 } });
  await page.goto(`${baseUrl.replace("127.0.0.1", "avatars.test")}/`);
  const answer = await page.evaluate(
    `fetch("home/access", { method: "POST", headers: { "x-start-page": "1" } }).then(({ status }) => status)`,
  );
  t.equal(answer, 403, "a name that is not this machine's gets no token");
  await page.locator("#file").setInputFiles(ROBOT);
  await page.locator('#create:is([data-state="framing"], [data-state="chosen"])').waitFor({ timeout: LIVE_MS });
  if ((await page.locator("#create").getAttribute("data-state")) === "framing")
    await page.locator("#framing-mark").click();
  await untilState(page, "chosen");
  await makeItTalk(page);
  await untilState(page, "access");
  t.match(await page.locator("#access-hint").textContent(), /without https/);
  await page.locator("#secret").fill("not-a-secret");
  await page.locator("#access-use").click();
  await page.locator("#access-wrong", { hasText: "API secret is not valid" }).waitFor();
  await page.locator("#secret").fill(apiSecret);
  await page.locator("#access-use").click();
  t.equal(await page.evaluate("Object.keys(sessionStorage).length + Object.keys(localStorage).length"), 0);

  // The order goes on.
  await untilState(page, "marking");
  t.match(await page.locator("#marking-reason").textContent(), /could not be located with certainty\.$/);
  await page.frameLocator("#marks").locator("body").waitFor();
  const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
  t.ok(width <= 360, `${width} px: nothing is wider than a telephone`);
  await page.screenshot({ path: join(ARTIFACTS, "start-page-marks.png"), fullPage: true });
  t.notMatch(page.url(), /secret|token/);
  await page.locator("#forget").click();
  await untilState(page, "empty");
  t.same(problems, [], "no other console errors, no violation of the policy");
  await page.context().close();
}

async function inConsole(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  const prepared: number[] = [];
  page.on("response", (response) => {
    const isOurs = response.url().endsWith("/embed/session") && response.frame() === page.mainFrame();
    if (isOurs) prepared.push(response.status());
  });
  await page.goto(`${baseUrl}/console/create`);
  await page.getByLabel("API secret").fill(apiSecret);
  await page.keyboard.press("Enter");
  await untilState(page, "empty");
  await page.locator("#file").setInputFiles(ASTRONAUT);
  await untilState(page, "chosen");
  t.match(await page.locator("#price").textContent(), /500 credits\. Your balance: [\d,]+ credits\.$/);
  await makeItTalk(page);
  await untilState(page, "talking");
  t.same(prepared, [200], "room, voice and greeting are prepared while the face is made");
  await untilLive(page);
  await page.locator("#next").waitFor();
  t.same(await axeViolations(page), []);
  const code = /#agent=([\w-]+)$/.exec(page.url())?.[1];
  t.match(await page.locator("#agent-page").getAttribute("href"), `/console/agents/${code}`);
  await page.locator("#agent-talk").click();
  await page.waitForURL(`**/console/talk/${code}`);
  t.equal(await page.locator("#create, #avatar").count(), 0, "the flow is over");
  t.equal(page.workers().length, 0);
  t.same(problems, [], "no console errors, no violation of the policy");
  await page.context().close();
}

/** Waits until frames of the avatar's video arrive. */
async function untilLive(page: Page): Promise<Frame> {
  const frame = await (await page.locator("#avatar").elementHandle())?.contentFrame();
  if (!frame) throw new Error("the page shows no avatar");
  const count = "document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0";
  // The frame may only now load its page.
  const shown = () => frame.evaluate(count).catch(() => 0);
  await waitFor(async () => Number(await shown()) >= 10, "ten frames", LIVE_MS);
  return frame;
}
