// The embed page in all its states, in a real browser in front of the whole service.
import type { Browser, Page, WebSocketRoute } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { EMBED_STATES } from "../../lab/page-sheet/embed-states.ts";
import { axeViolations } from "../helpers/pages/axe-violations.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const STATE_TIMEOUT_MS = 60_000;
const SIZES = [
  [320, 480],
  [360, 480],
  [390, 480],
  [390, 844],
  [640, 400],
  [1280, 800],
  [1920, 1080],
] as const;
/** What an on-screen keyboard leaves of a page. */
const KEYBOARDS = [
  [320, 480, 260],
  [390, 844, 480],
  [640, 400, 200],
] as const;
/** Shrinks what is seen of the page as an on-screen keyboard does; a headless browser has none. */
const KEYBOARD = `(() => {
  const viewport = new EventTarget();
  let height;
  Object.defineProperties(viewport, { height: { get: () => height ?? innerHeight }, scale: { value: 1 } });
  Object.defineProperty(window, "visualViewport", { value: viewport });
  window.openKeyboard = (left) => {
    height = left;
    viewport.dispatchEvent(new Event("resize"));
  };
})();`;
const MICROPHONE = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a visitor in front of the embed page, whatever happens", { skip, timeout: 420_000 }, (t) =>
  withStack(
    async (stack) => {
      await withChromium(async (browser) => {
        await t.test("the face is large at every size, and nothing covers it", (t) => sizes(t, browser, stack));
        await t.test("an on-screen keyboard leaves face, last words and text box", (t) => keyboards(t, browser, stack));
        await t.test("the end tells length and words, and leads to the next conversation", (t) =>
          endings(t, browser, stack),
        );
        await t.test("a visitor asks, lets the avatar say something, and asks for a gesture", (t) =>
          typing(t, browser, stack),
        );
        await t.test("a lost connection comes back in every state, by itself", (t) => losses(t, browser, stack));
        await t.test("no state breaks a rule of axe", (t) => rules(t, browser, stack));
      }, MICROPHONE);
      await withChromium((browser) =>
        t.test("a microphone that is refused is explained, and typing goes on", (t) => refusal(t, browser, stack)),
      );
    },
    { AVATAR_MAX_SESSIONS: "6" },
  ),
);

async function sizes(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openLive(browser, stack);
  await page.locator("#microphone").click();
  await page.locator("#talk-word", { hasText: "Listening" }).waitFor();
  for (const [width, height] of SIZES) {
    const name = `${width} × ${height}`;
    await page.setViewportSize({ width, height });
    const face = await boxOf(page, ".stage-picture");
    t.ok(face.height >= 0.4 * height, `${name}: the face has 40 % of the height`);
    for (const selector of ["#microphone", "#mute", "#words", "#end", "#text", "#send", ".stage-name"]) {
      const box = await boxOf(page, selector);
      t.ok(isInside(box, { x: 0, y: 0, width, height }), `${name}: ${selector} is in view`);
      t.notOk(overlap(box, face), `${name}: ${selector} does not lie on the face`);
      if (!selector.startsWith(".")) t.ok(box.height >= 44 && box.width >= 44, `${name}: ${selector} can be pressed`);
    }
    t.equal(await page.evaluate("document.scrollingElement.scrollWidth"), width, `${name}: nothing is cut off`);
    const talk =
      "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.getElementById('microphone'))";
    t.ok(await page.evaluate(talk), `${name}: the button holds its words`);
  }
  await page.locator("#microphone").click();

  await page.locator("#puppet").click();
  await page.setViewportSize({ width: 360, height: 480 });
  const spoken: Box[] = [];
  await page.locator("#text").fill("These words are long enough for more than one line below a small face.");
  await page.locator("#send").click();
  // While one types, the transcript is open; captions come with its end.
  await page.evaluate("document.activeElement.blur()");
  await page.locator("#page:not([data-typing])").waitFor();
  const face = await boxOf(page, ".stage-picture");
  await waitFor(
    async () => {
      t.same(await boxOf(page, ".stage-picture"), face, "the face keeps its size");
      const caption = page.locator(".stage-caption");
      if (await caption.isVisible()) spoken.push(await boxOf(page, ".stage-caption"));
      return (await page.locator(".stage").getAttribute("data-state")) === "speaking" && spoken.length > 0;
    },
    "an answer with captions",
    STATE_TIMEOUT_MS,
  );
  for (const caption of spoken) t.notOk(overlap(caption, face), "a caption does not lie on the mouth");
  await page.locator("#words").click();
  t.notOk(await page.locator(".stage-caption").isVisible(), "no caption beside the transcript");
  t.ok(await page.locator("#transcript").isVisible());
  await page.context().close();
}

async function keyboards(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openLive(browser, stack, KEYBOARD);
  for (const [width, height, left] of KEYBOARDS) {
    const name = `${width} × ${height}, ${left} with the keyboard`;
    await page.setViewportSize({ width, height });
    await page.locator("#text").focus();
    await page.evaluate(`openKeyboard(${left})`);
    await page.locator("#page[data-typing]").waitFor();
    const face = await boxOf(page, ".stage-picture");
    t.ok(face.height >= 0.4 * left, `${name}: the face has 40 % of the height`);
    for (const selector of [".stage-picture", "#text", "#send"])
      t.ok(isInside(await boxOf(page, selector), { x: 0, y: 0, width, height: left }), `${name}: ${selector}`);
    t.notOk(overlap(await boxOf(page, "#text"), face), `${name}: the text box does not lie on it`);
    t.notOk(await page.locator("#microphone").isVisible(), `${name}: Talk is folded`);
    await page.evaluate("openKeyboard(undefined)");
    await page.evaluate("document.activeElement.blur()");
    await page.locator("#page:not([data-typing])").waitFor();
    t.ok(await page.locator("#microphone").isVisible(), `${name}: Talk is back`);
  }
  await page.context().close();
}

async function endings(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openLive(browser, stack);
  await page.context().grantPermissions(["microphone", "clipboard-read", "clipboard-write"]);
  const name = await page.locator(".stage-name").textContent();
  await page.locator("#microphone").click();
  await page.locator("#talk-word", { hasText: "Listening" }).waitFor();
  t.ok(await page.locator("#stop-word").isVisible());
  await waitFor(
    async () =>
      Number(await page.evaluate(`getComputedStyle(document.querySelector(".stage")).getPropertyValue("--level")`)) > 0,
    "the ring to follow the microphone's tone",
  );
  await page.locator("#microphone").click();
  await page.locator("#talk-word", { hasText: "Talk" }).waitFor();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "false");

  await page.locator("#end").click();
  await page.locator(".stage-notice", { hasText: /You were together for \d+ (second|minute)/ }).waitFor();
  t.equal(await page.locator(".stage-name").textContent(), name, "the name stays");
  t.ok(await page.locator(".stage-poster").isVisible(), "so does the picture");
  t.notOk(await page.locator("#say").isVisible(), "what cannot be used is away");
  await page.getByRole("button", { name: "Copy text" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = String(await page.evaluate("navigator.clipboard.readText()"));
  t.match(copied, new RegExp(`^${name}: \\S`, "m"));
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save text" }).click(),
  ]);
  t.equal(file.suggestedFilename(), "conversation.txt");
  await page.getByRole("button", { name: "Talk again" }).click();
  await untilState(page, "live");
  t.ok(await page.locator("#say").isVisible());
  await page.context().close();
}

async function typing(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openLive(browser, stack);
  await page.locator("#text").fill("Hello there");
  await page.keyboard.press("Enter");
  await page.locator(".line[data-speaker=visitor]", { hasText: "Hello there" }).waitFor();
  t.equal(await page.evaluate("document.activeElement.id"), "text", "the next line can be typed at once");

  await page.locator("#puppet").click();
  t.equal(await page.locator("#send").textContent(), "Say it");
  t.match(await page.locator("#hint").textContent(), /says what you type/);
  const words = "Seven green bottles stand here.";
  await page.locator("#text").fill(words);
  await page.keyboard.press("Enter");
  await page.locator(".line[data-speaker=visitor]", { hasText: words }).waitFor();
  await page.locator(".line[data-speaker=avatar]", { hasText: words }).waitFor({ timeout: STATE_TIMEOUT_MS });
  await page.locator("#puppet").click();
  t.equal(await page.locator("#send").textContent(), "Send");

  await page.locator("#gestures").getByRole("button", { name: "Nod" }).click();
  await page.locator("#gestures [aria-busy=false]").waitFor();
  t.equal(await page.locator("#hint").textContent(), "", "the avatar made it");
  const moods = page.getByRole("group", { name: "Mood" });
  for (const [name, pressed] of [["Happy", ["Happy"]] as const, ["Sad", ["Sad"]] as const, ["Sad", []] as const]) {
    await moods.getByRole("button", { name }).press("Enter");
    await moods.locator("[aria-busy=false]", { hasText: name }).waitFor();
    t.same(await moods.locator("[aria-pressed=true]").allTextContents(), pressed);
  }
  t.equal(await page.locator("#hint").textContent(), "", "the avatar took them");
  await page.context().close();
}

async function losses(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openPage(browser);
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/rtc/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });

  // Connecting: no answer at first.
  await page.route("**/embed/session", (route) => route.abort());
  await page.goto(`${stack.baseUrl}/demo`);
  await page.locator(".stage-notice", { hasText: "No connection" }).waitFor();
  await page.locator(".stage-notice", { hasText: /Trying again in \d s/ }).waitFor();
  t.match(await page.locator(".stage-name").textContent(), /\w/);
  t.ok(await page.locator(".stage-poster").isVisible(), "name and picture are there");

  // Busy: the answer's Retry-After counts, and the connection is lost meanwhile.
  let posts = 0;
  await page.unroute("**/embed/session");
  await page.route("**/embed/session", (route) => {
    posts += 1;
    const error = { code: "SERVICE_UNAVAILABLE", message: "No avatar worker has a free slot right now." };
    return route.fulfill({ status: 503, headers: { "retry-after": "2" }, json: { error } });
  });
  await page.getByRole("button", { name: "Try now" }).click();
  await page.locator(".stage-notice", { hasText: "All avatars are busy" }).waitFor();
  await waitFor(() => posts >= 3, "three tries");
  t.notOk(await page.locator("#say").isVisible());
  await page.context().setOffline(true);
  await page.unroute("**/embed/session");
  await page.locator(".stage-notice", { hasText: "No connection" }).waitFor();
  await page.context().setOffline(false);
  await untilState(page, "live");

  // Live: the socket breaks, and the client comes back.
  for (const socket of sockets.splice(0)) await socket.close({ code: 4000 });
  await untilState(page, "reconnecting");
  t.equal(await page.locator(".stage-state").textContent(), "Reconnecting");
  await untilState(page, "live");

  // Ended: the next conversation begins without a connection.
  await page.locator("#end").click();
  await page.getByRole("button", { name: "Talk again" }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Talk again" }).click();
  await page.locator(".stage-notice", { hasText: "No connection" }).waitFor();
  await page.context().setOffline(false);
  await untilState(page, "live");
  await page.context().close();
}

async function rules(t: Test, browser: Browser, { baseUrl, apiSecret }: TestStack): Promise<void> {
  for (const { name, open } of EMBED_STATES) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme });
      const page = await context.newPage();
      await open(page, { baseUrl, apiSecret });
      t.same(await axeViolations(page), [], `${name}, ${colorScheme}`);
      await context.close();
    }
  }
}

async function refusal(t: Test, browser: Browser, stack: TestStack): Promise<void> {
  const page = await openLive(browser, stack);
  await page.locator("#microphone").click();
  await page.locator("#hint", { hasText: "type instead" }).waitFor();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "false");
  t.equal(await page.locator("#talk-word").textContent(), "Talk");
  await page.locator("#text").fill("Hello");
  t.notOk(await page.locator("#send").isDisabled());
  await page.context().close();
}

async function openPage(browser: Browser, script?: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  return page;
}

/** A page on which the avatar has greeted. */
async function openLive(browser: Browser, { baseUrl }: TestStack, script?: string): Promise<Page> {
  const page = await openPage(browser, script);
  await page.goto(`${baseUrl}/demo`);
  await untilState(page, "live");
  await page.locator(".line").first().waitFor({ state: "attached" });
  return page;
}

async function untilState(page: Page, name: string): Promise<void> {
  await page.locator(`#page[data-state=${name}]`).waitFor();
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return box;
}

function isInside(box: Box, { width, height }: Box): boolean {
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 0.5 && box.y + box.height <= height + 0.5;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && a.x + a.width > b.x && a.y < b.y + b.height && a.y + a.height > b.y;
}
