// Pictures on the start page, in a real browser: which ones come to life in the tab, and what a visitor is told about
// the others. Nothing is sent to the service.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import t, { type Test } from "tap";
import { grantCredits } from "../../api/accounts/credits/ledger.ts";
import type { Baker } from "../../api/agents/portraits/portrait-process.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { ServiceError } from "../../shared/errors.ts";
import { buildWeb } from "../../web/build.ts";
import { sharedPortraits } from "../helpers/faces/shared-portraits.ts";
import { axeViolations } from "../helpers/pages/axe-violations.ts";
import { give, makeItTalk, newVisitor, untilAlive, untilState } from "../helpers/pages/start-page.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";

const ASTRONAUT = join(import.meta.dirname, "..", "fixtures", "portraits", "astronaut.png");
const CAT = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"><rect width="512" height="512" fill="#dfe7ee"/>
  <path d="M120 190 150 70l80 80zM392 190 362 70l-80 80z" fill="#8d7a66"/><ellipse cx="256" cy="270" rx="165" ry="150" fill="#8d7a66"/>
  <g fill="#d8e36a"><ellipse cx="195" cy="250" rx="26" ry="34"/><ellipse cx="317" cy="250" rx="26" ry="34"/></g>
  <ellipse cx="195" cy="250" rx="7" ry="30"/><ellipse cx="317" cy="250" rx="7" ry="30"/><path d="M240 305h32l-16 18z" fill="#c77"/></svg>`;
const DENY_STORAGE = `Object.defineProperty(window, "sessionStorage", {
  get() { throw new DOMException("denied", "SecurityError"); },
});`;
const FLAGS = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

const skip = findChromium() ? false : CHROMIUM_MISSING;
const isShown = (page: Page, id: string) => page.locator(id).isVisible();
const text = async (page: Page, id: string) => (await page.locator(id).textContent())?.trim() ?? "";

/** Bakes for real, unless a test wants a failure or a wait. */
class TroubledBaker {
  isBroken = false;
  /** Resolves when baking may go on. */
  held: Promise<void> = Promise.resolve();

  asBaker(): Baker {
    const real = sharedPortraits().baker;
    return {
      ...real,
      bake: async (task, onProgress) => {
        await this.held;
        if (this.isBroken) throw new ServiceError("IMAGE_FACE_UNSUITABLE", "The mouth is covered.");
        return real.bake(task, onProgress);
      },
    };
  }
}

t.test(
  "a picture comes to life in the tab, or the visitor is told what to do",
  { skip, timeout: 420_000 },
  async (t) => {
    await buildWeb();
    const baker = new TroubledBaker();
    await withApi(
      (api) =>
        withChromium(async (browser) => {
          const { baseUrl } = api;
          await t.test("a sample face lives above the fold, at every size", (t) => samples(t, browser, baseUrl));
          await t.test("files that cannot be used leave everything as it was", (t) => badFiles(t, browser, baseUrl));
          await t.test("a picture is framed before it is used", (t) => framing(t, browser, baseUrl));
          await t.test("the camera takes a picture, or says why not", (t) => camera(t, browser, baseUrl));
          await t.test("storage denied, no WebAssembly, no connection", (t) => poorBrowsers(t, browser, baseUrl));
          await t.test("orders are priced, refused, refunded and found again", (t) => orders(t, browser, api, baker));
        }, FLAGS),
      { environment: { AVATAR_VOICE: "formant" }, baker: baker.asBaker() },
    );
  },
);

async function samples(t: Test, browser: Browser, baseUrl: string): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  await page.goto(`${baseUrl}/`);
  await untilAlive(page);
  t.equal(await page.locator("#samples button").count(), 6);
  t.match(await text(page, "#stage .stage-name"), /\w/);
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
    [320, 568],
  ]) {
    await page.setViewportSize({ width, height });
    const size = `${width} × ${height}`;
    const face = await page.locator("#stage .stage-picture").boundingBox();
    t.ok((face?.height ?? 0) >= 0.4 * height, `${size}: the face takes 40 % of the height`);
    t.ok((face?.y ?? height) + (face?.height ?? 0) <= height, `${size}: above the fold`);
    const choose = await page.locator("#choose").boundingBox();
    t.ok((choose?.y ?? height) + (choose?.height ?? 0) <= height, `${size}: so is the place for a picture`);
    t.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, `${size}: nothing is wider`);
    t.same(await axeViolations(page), [], size);
  }
  t.equal(await text(page, "#choose .by-touch"), "Choose or take a picture");
  // Before the press it moves without a sound.
  t.equal(await page.locator("#stage .stage").getAttribute("data-state"), "idle");
  await page.locator("#samples button").nth(1).click();
  await page.locator('#stage .stage[data-state="speaking"]').waitFor();
  t.equal(await page.locator("#samples button").nth(1).getAttribute("aria-pressed"), "true");
  t.match(await text(page, "#hear"), new RegExp(await text(page, "#stage .stage-name")));
  t.ok(Number(await page.evaluate("scrollY")) > 0, "samples are below the fold of a telephone");
  await page.route("**/v1/agent/generate", () => undefined);
  await page.locator("#talk-sample").click();
  await untilState(page, "making");
  t.equal(await page.evaluate("scrollY"), 0, "what comes next is seen from its beginning");
  t.same(problems, []);
  await page.context().close();
}

async function badFiles(t: Test, browser: Browser, baseUrl: string): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  await page.goto(`${baseUrl}/`);
  await untilAlive(page);
  const refused = async (name: string, type: string, bytes: Buffer, words: RegExp) => {
    await give(page, "drop", { name, type, bytes });
    await page.locator("#picture-wrong", { hasText: words }).waitFor();
  };
  const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypheic"), Buffer.alloc(64)]);
  await refused("IMG_1.heic", "image/heic", heic, /HEIC.+JPEG/);
  await refused("cat.svg", "image/svg+xml", Buffer.from(CAT), /SVG.+PNG/);
  await refused("letter.pdf", "application/pdf", Buffer.from("%PDF-1.7"), /not a picture.+JPEG/);
  await refused("broken.jpg", "image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 1, 2, 3]), /damaged.+Choose/);
  await untilState(page, "empty");

  const huge = await sharp({ create: { width: 11_000, height: 9_200, channels: 3, background: "#808080" } })
    .composite([{ input: await sharp(ASTRONAUT).resize(5000).toBuffer(), left: 3000, top: 2000 }])
    .jpeg()
    .toBuffer();
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") requests.push(`${request.method()} ${request.url()}`);
  });
  await give(page, "drop", { name: "poster.jpg", type: "image/jpeg", bytes: huge });
  await untilState(page, "chosen");
  await untilAlive(page);
  t.same(requests, [], "100 megapixels move in the tab, and nothing was sent");
  t.same(await axeViolations(page), [], "chosen");
  await page.setViewportSize({ width: 390, height: 844 });
  const make = await page.locator("#make").boundingBox();
  t.ok((make?.y ?? 900) + (make?.height ?? 0) <= 844, "the button of the form is in sight on a telephone");
  t.same(await axeViolations(page), [], "chosen, on a telephone");

  await refused("letter.pdf", "application/pdf", Buffer.from("%PDF-1.7"), /not a picture/);
  await untilState(page, "chosen");
  await untilAlive(page);
  t.pass("the face that is there stays");
  await page.locator("#make").click();
  t.match(await text(page, "#voice-wrong"), /Choose a voice first/, "no voice is chosen by lot");
  await page.locator("#more-voices").click();
  t.equal(await page.locator("#voices label").count(), 10);
  await page.locator("#voices label").nth(2).click();
  await page.locator('#stage .stage[data-state="speaking"]').waitFor();
  t.equal(await text(page, "#voice-wrong"), "");
  t.same(problems, []);
  await page.context().close();
}

async function framing(t: Test, browser: Browser, baseUrl: string): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  await page.goto(`${baseUrl}/`);
  const portrait = await sharp(ASTRONAUT).resize(512).toBuffer();
  const two = await sharp({ create: { width: 1024, height: 512, channels: 3, background: "#808080" } })
    .composite([
      { input: portrait, left: 0, top: 0 },
      { input: portrait, left: 512, top: 0 },
    ])
    .png()
    .toBuffer();
  await give(page, "drop", { name: "two.png", type: "image/png", bytes: two });
  await untilState(page, "framing");
  t.match(await text(page, "#title"), /Which face/);
  t.equal(await page.locator("#framer-boxes button").count(), 2);
  t.same(await axeViolations(page), [], "two faces");
  await page.locator("#framer-boxes button").nth(1).click();
  await untilState(page, "chosen");
  await untilAlive(page);

  await page.locator("#frame-again").click();
  await untilState(page, "framing");
  await page.locator("#crop").click();
  await page.locator("#crop-closer").click();
  await page.keyboard.press("Tab");
  await page.locator("#framer-crop").focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowLeft");
  t.match(await page.locator("#framer-crop").getAttribute("style"), /left: 0%/);
  t.same(await axeViolations(page), [], "crop");
  await page.locator("#framing-use").click();
  await untilState(page, "chosen");
  await untilAlive(page);

  const leaning = sharp(ASTRONAUT).rotate(12, { background: "#808080" });
  await give(page, "drop", { name: "leaning.png", type: "image/png", bytes: await leaning.png().toBuffer() });
  await untilState(page, "chosen");
  await page.locator("#frame-again").click();
  await page.locator("#straighten").click();
  await page.locator("#straighten").waitFor({ state: "hidden" });
  t.equal(await page.locator("#framer-boxes button").count(), 1, "the head stands upright now");
  await page.locator("#framing-use").click();
  await untilState(page, "chosen");
  await untilAlive(page);

  await give(page, "paste", {
    name: "cat.png",
    type: "image/png",
    bytes: await sharp(Buffer.from(CAT)).png().toBuffer(),
  });
  await untilState(page, "framing");
  t.match(await text(page, "#title"), /No face was found/);
  t.match(await page.locator("#framing-mark").getAttribute("class"), /main/, "Mark the face is the one to press");
  t.same(await axeViolations(page), [], "a cat");
  await page.locator("#framing-mark").click();
  await untilState(page, "chosen");
  t.match(await text(page, "#chosen-note"), /you mark/);
  t.same(problems, []);
  await page.context().close();
}

async function camera(t: Test, browser: Browser, baseUrl: string): Promise<void> {
  const { page, problems } = await newVisitor(browser);
  await page.goto(`${baseUrl}/`);
  await give(page, "drop", { name: "letter.pdf", type: "application/pdf", bytes: Buffer.from("%PDF-1.7") });
  await page.locator("#picture-wrong:not(:empty)").waitFor();
  await page.locator("#camera").click();
  t.equal(await text(page, "#picture-wrong"), "", "what was wrong before is gone");
  await page.locator("#camera-take:enabled").click();
  t.equal(await text(page, "#camera-count"), "3");
  t.same(await axeViolations(page), [], "camera");
  await page.locator("#camera-use").click();
  // The fake camera shows no face.
  await untilState(page, "framing");
  t.match(await text(page, "#title"), /No face/);
  await page.context().close();

  const refusing = await newVisitor(browser);
  await refusing.page.addInitScript(`navigator.mediaDevices.getUserMedia =
    () => Promise.reject(new DOMException("no", "NotAllowedError"));`);
  await refusing.page.goto(`${baseUrl}/`);
  await refusing.page.locator("#camera").click();
  await refusing.page.locator("#camera-message", { hasText: /Allow it.+or choose a picture/ }).waitFor();
  await refusing.page.locator("#camera-cancel").click();
  t.ok(await isShown(refusing.page, "#choose"), "the page goes on");
  t.same([...problems, ...refusing.problems], []);
  await refusing.page.context().close();
}

async function poorBrowsers(t: Test, browser: Browser, baseUrl: string): Promise<void> {
  const astronaut = { name: "a.png", type: "image/png", bytes: await readFile(ASTRONAUT) };
  const strict = await newVisitor(browser);
  await strict.page.addInitScript(DENY_STORAGE);
  await strict.page.goto(`${baseUrl}/`);
  await untilAlive(strict.page);
  t.same(strict.problems, [], "storage denied");
  await strict.page.context().close();

  const { page, problems } = await newVisitor(browser);
  // In the worker, too: there it is the worker's own script that lacks it.
  await page.addInitScript("delete window.WebAssembly;");
  await page.route("**/bake-worker*.js", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `delete self.WebAssembly;\n${await answer.text()}` });
  });
  await page.goto(`${baseUrl}/`);
  await page.locator("#samples button").nth(5).waitFor();
  await give(page, "drop", astronaut);
  await untilState(page, "chosen");
  t.match(await text(page, "#chosen-note"), /WebAssembly.+service can make it/, "the service takes over");
  t.ok(await page.locator("#stage .stage-poster").isVisible(), "the picture is there");
  await page.context().close();

  const lost = await newVisitor(browser);
  await lost.page.goto(`${baseUrl}/`);
  await untilAlive(lost.page);
  await lost.page.context().setOffline(true);
  await lost.page.locator("#samples button").nth(3).click();
  await give(lost.page, "drop", astronaut);
  await untilState(lost.page, "chosen");
  t.match(await text(lost.page, "#chosen-note"), /connection/, "what finds faces could not be fetched");
  await makeItTalk(lost.page);
  await untilState(lost.page, "refused");
  t.match(await text(lost.page, "#refusal"), /cannot be reached/);
  t.match(await text(lost.page, "#repeat"), /^Try again \(\d\)$/, "and the page tries again by itself");
  t.match(await lost.page.locator("#repeat").getAttribute("class"), /main/);
  t.same(await axeViolations(lost.page), [], "refused");
  await lost.page.context().setOffline(false);
  // This service gives tokens to its own machine only if it has an operator, which this one has not.
  await lost.page.locator('#create[data-state="access"]').waitFor();
  t.same(await axeViolations(lost.page), [], "access");
  await lost.page.locator("#access-back").click();
  await untilState(lost.page, "chosen");
  t.same([...problems, ...lost.problems], []);
  await lost.page.context().close();
}

async function orders(t: Test, browser: Browser, api: TestApi, baker: TroubledBaker): Promise<void> {
  const { account, secret } = await api.addAccount({ credits: 120 });
  const grant = (amountCredits: number, reference: string) =>
    grantCredits(api.services.database, {
      userId: account.userId,
      pool: "plan",
      amountCredits,
      reason: "test",
      reference,
      at: new Date(api.services.now()),
    });
  const { page, problems } = await newVisitor(browser);
  await page.addInitScript(`sessionStorage.setItem("api-secret", ${JSON.stringify(secret)})`);
  const orders: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/agent/generate")) orders.push(request.url());
  });
  await page.goto(`${api.baseUrl}/`);
  await give(page, "drop", { name: "a.png", type: "image/png", bytes: await readFile(ASTRONAUT) });
  await untilState(page, "chosen");

  t.equal(await text(page, "#price"), "Making it costs 500 credits. Your balance: 120 credits.");
  await page.locator("#name").fill("Eileen");
  await makeItTalk(page);
  await untilState(page, "refused");
  t.match(await text(page, "#refusal"), /380 are missing. Nothing was sent/);
  t.match(await page.locator("#top-up").getAttribute("href"), /\/account\/credits$/);
  t.same(orders, [], "too little credit says so before anything is sent");
  t.same(await axeViolations(page), [], "too little credit");

  await grant(400, "bought");
  baker.isBroken = true;
  await page.locator("#repeat").click();
  await page.locator("#refusal", { hasText: "mouth is covered" }).waitFor();
  await page.locator("#refund", { hasText: "You got 500 credits back. Your balance: 520 credits." }).waitFor();
  t.equal(orders.length, 1, "credits that were bought meanwhile count");
  t.same(await axeViolations(page), [], "failed");
  await page.locator("#refused-change").click();
  await page.locator('#create[data-state="chosen"]').waitFor();
  await untilAlive(page);
  t.equal(await page.locator("#name").inputValue(), "Eileen", "picture and choices are kept");
  t.ok(await page.locator("#voices input").first().isChecked());

  baker.isBroken = false;
  let release: () => void = () => undefined;
  baker.held = new Promise((resolve) => {
    release = resolve;
  });
  await page.locator("#make").click();
  await page.locator("#progress", { hasText: "Making the face" }).waitFor();
  await page.reload();
  await page.locator("#progress", { hasText: "Making the face" }).waitFor();
  await page.goto(`${api.baseUrl}/?again`);
  await page.locator("#progress", { hasText: "Making the face" }).waitFor();
  t.match(page.url(), /#agent=/, "the order is found again, by its address and in its tab");
  release();
  await untilState(page, "talking");

  await page.locator("#talking-another").click();
  await untilState(page, "empty");
  await page.locator("#describe-open").click();
  await untilState(page, "describing");
  t.equal(await page.evaluate("document.activeElement.id"), "prompt");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  t.match(await text(page, "#prompt-wrong"), /few words/);
  t.same(await axeViolations(page), [], "describing");
  await page.locator("#prompt").fill("A red fox");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await untilState(page, "refused");
  t.match(await text(page, "#refusal"), /no person|20 credits/);
  await grant(3000, "more");
  await page.locator("#repeat").click();
  await page.locator("#make-drawn").waitFor();
  t.match(await text(page, "#refusal"), /for 2,000 credits. Nothing has been charged/, "another price is asked first");
  await page.locator("#refused-change").click();
  await page.locator('#create[data-state="describing"]').waitFor();
  await page.locator("#prompt").fill("A patient museum guide");
  await page.locator('#describe button[type="submit"]').click();
  await page.locator("#steps", { hasText: "Sending your words" }).waitFor();
  await page.locator("#stage .stage-poster").waitFor();
  await untilState(page, "talking");
  t.same(problems, []);
  await page.context().close();
}
