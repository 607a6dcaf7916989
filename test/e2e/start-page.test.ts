// The start page in a real browser in front of the whole service: a photograph goes in, and it talks.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { KEEP_LOUDEST_SAMPLE } from "../helpers/rooms/loudest-sample.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const ASTRONAUT = join(PROJECT, "test", "fixtures", "portraits", "astronaut.png");
/** A drawn robot: its face is detected, but as uncertain. */
const ROBOT = join(PROJECT, "models", "gallery", "bolt.png");
const MAKING_MS = 120_000;
/** A name that leads to this machine, as an address behind a proxy or a rebound name does. */
const FLAGS = [
  "--host-resolver-rules=MAP avatars.test 127.0.0.1",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];
/** LiveKit's client says so when the room is deleted, with its agent, while a visitor is in it. */
const CLOSED = /data channel '\w+' closed unexpectedly/;
/** Refusals are shown by browsers in their consoles, too. */
const REFUSED = /Failed to load resource: the server responded with a status of (401|403|422)/;
const literal = (text: string) => JSON.stringify(text);

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a photograph on the start page becomes an avatar that talks", { skip, timeout: 420_000 }, async (t) => {
  await mkdir(ARTIFACTS, { recursive: true });
  await withStack((stack) =>
    withChromium(async (browser) => {
      await t.test("on the machine of the service", (t) => ownMachine(t, browser, stack));
      await t.test("by another name of it, with an API secret", (t) => withSecret(t, browser, stack));
    }, FLAGS),
  );
});

async function ownMachine(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  const { page, problems } = await openPage(browser, { width: 1280, height: 900 });
  page.on("dialog", (dialog) => void dialog.accept());
  // Links name 127.0.0.1; the page must work by every name of this machine.
  await page.goto(`${baseUrl.replace("127.0.0.1", "localhost")}/`);
  await untilState(page, "empty");
  t.notOk(await page.locator("#access").isVisible(), "no secret is needed here");

  await t.test("the camera takes a picture, and one without a face is refused in words", async (t) => {
    await page.locator("#camera").click();
    await page.locator("#camera-take:enabled").click();
    await page.locator("#camera-use").click();
    await untilState(page, "chosen");
    await page.locator("#make").click();
    await untilState(page, "refused");
    t.match(await page.locator("#refusal").textContent(), /^No face was found in the image\. Use an image/);
    t.ok(await page.locator("#mark").isVisible(), "a person may know better");
  });

  await t.test("a file that is no picture is refused before it is sent", async (t) => {
    await give(page, "drop", Buffer.from("%PDF-1.7"), { name: "letter.pdf", type: "application/pdf" });
    // Until the page has read the file, it still shows the refusal of the picture before.
    await page.locator("#picture-wrong:not(:empty)").waitFor();
    await untilState(page, "empty");
    t.match(await page.locator("#picture-wrong").textContent(), /not a picture/);
  });

  await t.test("a picture is pasted, and replaced by another", async (t) => {
    await give(page, "paste", await readFile(ASTRONAUT), { name: "image.png", type: "image/png" });
    await untilState(page, "chosen");
    t.match(await page.locator("#picture").getAttribute("src"), /^blob:/);
  });

  await t.test("a dropped photograph goes through named steps, and talks", async (t) => {
    await give(page, "drop", await readFile(ASTRONAUT), { name: "astronaut.png", type: "image/png" });
    await untilState(page, "chosen");
    await page.locator("#character").fill("Eileen, an astronaut");
    await page.evaluate(OBSERVE_STEPS);
    await page.locator("#make").click();
    await untilState(page, "talking");
    const steps = (await page.evaluate("window.steps")) as string[];
    t.equal(steps[0], "Sending the picture");
    t.equal(steps.at(-1), "Making the face");
    t.match(page.url(), /#agent=page-[0-9a-f-]+$/);
    const frame = await untilLive(page);
    t.equal(await frame.locator("#name").textContent(), "Eileen");
    await frame.locator("#text").click();
    await frame.evaluate(KEEP_LOUDEST_SAMPLE);
    await frame.locator("#text").fill("Hello. This is my own photograph.");
    await page.keyboard.press("Enter");
    await waitFor(async () => Number(await frame.evaluate("window.loudest")) > 0.05, "audio");
    const caption = async () => (await frame.locator("#caption").textContent()) ?? "";
    await waitFor(async () => /my own photograph/.test(await caption()), "caption");
    await page.screenshot({ path: join(ARTIFACTS, "start-page.png"), fullPage: true });
  });

  await t.test("it is there again after a reload, can be shared, and is deleted with a button", async (t) => {
    const room = await frameOf(page).then((frame) => frame.url());
    await page.reload();
    await untilState(page, "talking");
    t.equal((await untilLive(page)).url(), room);
    await page.locator("#share").click();
    await page.locator("#share-row").waitFor();
    t.match(await page.locator("#share-link").inputValue(), /\/embed\/page-[0-9a-f-]+#token=eyJ/);
    const code = (await page.locator("#code").textContent()) ?? "";
    const status = async () => {
      const answer = await fetch(`${baseUrl}/v1/agent/status/${code}`, { headers: { "api-secret": apiSecret } });
      return answer.status;
    };
    t.equal(await status(), 200, "an ordinary agent of the operator's account");
    await page.locator("#delete").click();
    await untilState(page, "empty");
    t.notMatch(page.url(), /agent/);
    t.equal(await status(), 404);
  });

  t.same(problems, [], "no other console errors, no violation of the policy");
  await page.context().close();
}

async function withSecret(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  const { page, problems } = await openPage(browser, { width: 360, height: 740 });
  await page.goto(`${baseUrl.replace("127.0.0.1", "avatars.test")}/`);
  await untilState(page, "access");
  const answer = await page.evaluate(
    `fetch("home/access", { method: "POST", headers: { "x-start-page": "1" } }).then(({ status }) => status)`,
  );
  t.equal(answer, 403, "a name that is not this machine's gets no token");
  t.match(await page.locator("#access-hint").textContent(), /without https/);

  await page.locator("#secret").fill("not-a-secret");
  await page.locator("#access-use").click();
  await waitFor(async () => (await page.locator("#access-wrong").textContent()) !== "", "the reason");
  t.match(await page.locator("#access-wrong").textContent(), /API secret is not valid/);
  await page.locator("#secret").fill(apiSecret);
  await page.locator("#access-use").click();
  await untilState(page, "empty");
  t.equal(await page.evaluate("Object.keys(sessionStorage).length + Object.keys(localStorage).length"), 0);
  t.equal(await page.locator("#secret").inputValue(), "");

  await page.locator("#file").setInputFiles(ROBOT);
  await untilState(page, "chosen");
  await page.locator("#make").click();
  await untilState(page, "marking");
  t.match(await page.locator("#marking-reason").textContent(), /could not be located with certainty\.$/);
  const marks = page.frameLocator("#marks");
  await marks.locator("circle.handle").nth(29).waitFor();
  const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
  t.ok(width <= 360, `${width} px: nothing is wider than a telephone`);
  await page.screenshot({ path: join(ARTIFACTS, "start-page-marks.png"), fullPage: true });
  await marks.locator("#save").click();
  // The rest is the same as on the machine of the service. The steps may be over before one is seen.
  await untilState(page, "talking");
  t.notMatch(page.url(), /secret|token/);

  await page.locator("#forget").click();
  await untilState(page, "access");
  t.same(problems, [], "no other console errors, no violation of the policy");
  await page.context().close();
}

async function openPage(
  browser: Browser,
  viewport: { width: number; height: number },
): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.newContext({ viewport })).newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isExpected = REFUSED.test(message.text()) || CLOSED.test(message.text());
    if (message.type() === "error" && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  return { page, problems };
}

async function untilState(page: Page, name: string): Promise<void> {
  const section = page.locator("#try");
  await waitFor(
    async () => {
      const state = await section.getAttribute("data-state");
      if (state === "refused" && name !== "refused") {
        throw new Error(`refused: ${await page.locator("#refusal").textContent()}`);
      }
      return state === name;
    },
    `the page is ${name}`,
    MAKING_MS,
  );
}

async function frameOf(page: Page): Promise<Frame> {
  const frame = await (await page.locator("#avatar").elementHandle())?.contentFrame();
  if (!frame) throw new Error("the page shows no avatar");
  return frame;
}

/** Waits until frames of the avatar's video arrive. */
async function untilLive(page: Page): Promise<Frame> {
  await page.frameLocator("#avatar").locator('#page[data-state="live"]').waitFor({ timeout: MAKING_MS });
  const frame = await frameOf(page);
  const shown = () => frame.evaluate("document.getElementById('video').getVideoPlaybackQuality().totalVideoFrames");
  const before = Number(await shown());
  await waitFor(async () => Number(await shown()) >= before + 10, "ten more frames");
  return frame;
}

/** Drops a file in the middle of the page, or pastes one. */
async function give(
  page: Page,
  way: "drop" | "paste",
  bytes: Buffer,
  { name, type }: { name: string; type: string },
): Promise<void> {
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${literal(bytes.toString("base64"))}), (one) => one.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], ${literal(name)}, { type: ${literal(type)} }));
    const options = { bubbles: true, cancelable: true };
    document.body.dispatchEvent(
      ${literal(way)} === "drop"
        ? new DragEvent("drop", { ...options, dataTransfer })
        : new ClipboardEvent("paste", { ...options, clipboardData: dataTransfer }),
    );
  })()`);
}

/** Keeps each step that the page shows in `window.steps`. */
const OBSERVE_STEPS = `
  window.steps = [];
  new MutationObserver(() => {
    const name = document.querySelector("#steps [aria-current]")?.textContent;
    if (name && name !== window.steps.at(-1)) window.steps.push(name);
  }).observe(document.getElementById("steps"), { attributes: true, subtree: true });
`;
