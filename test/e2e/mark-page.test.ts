// The page for marking a face, in a real browser: from the link of a waiting agent to the face that is baked from the
// marks.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import t, { type Test } from "tap";
import { watch } from "../../lab/bench/engine-tab.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../../lab/page-sheet/axe-violations.ts";
import { MARK_STATES, placeOnScreen, ROBOT_ANCHORS, tapFace } from "../../lab/page-sheet/mark-states.ts";
import { buildWeb } from "../../web/build.ts";
import { FACE_PARTS } from "../../web/mark/face-parts.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const MAKING_MS = 240_000;
/** A finger's width, px. */
const TOUCH_PX = 44;
/** How far the chin is dragged, in px of the screen. */
const DRAG_PX = 12;
const PHONE = { width: 320, height: 568 };
/** Together longer than the mouth is shut in a round of the preview. */
const STILL_SHOTS = 15;
/** A drawn robot: its face is detected, but not with certainty. */
const ROBOT = join(PROJECT, "models", "gallery", "bolt.png");

t.setTimeout(900_000);

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the marking page", { skip, timeout: 800_000 }, async (t) => {
  await buildWeb({ outDir: join(PROJECT, "web", "dist") });
  await mkdir(ARTIFACTS, { recursive: true });
  await withApi((api) =>
    withChromium(async (browser) => {
      const { secret } = await api.addAccount({ credits: 20_000 });
      await t.test("a finger taps three times, corrects the chin, and the face is made", (t) =>
        markByFinger(t, api, browser, secret),
      );
      await t.test("the keyboard does all of it", (t) => markByKeyboard(t, api, browser, secret));
      await t.test("in a frame it has no heading and tells the page around it", (t) =>
        markInFrame(t, api, browser, secret),
      );
      await t.test("no state breaks a rule of accessibility, by day and by night", (t) =>
        checkStates(t, api, browser, secret),
      );
    }),
  );
});

async function markByFinger(t: Test, api: TestApi, browser: Browser, secret: string): Promise<void> {
  const marking = await untilWaiting(api, secret, "finger-robot");
  const page = await browser.newPage({ viewport: PHONE, hasTouch: true });
  const problems = watch(page, api.baseUrl);
  const hint = page.locator("#hint");

  await page.goto(marking.marking_url.replace(/#.*/, ""));
  await waitFor(async () => /incomplete/.test((await hint.textContent()) ?? ""), "a link without its token");
  t.ok(await page.getByRole("link", { name: "Start page" }).isVisible(), "with a way out");
  // The fragment alone makes no new visit.
  await page.goto("about:blank");

  await page.goto(marking.marking_url);
  await waitFor(async () => /Tap 1 of 3/.test((await hint.textContent()) ?? ""), "the first tap");
  t.notOk(await page.locator("#save").isVisible(), "untouched marks can't be sent");
  await tapFace(page, 2);
  await page.reload();
  await waitFor(async () => /Tap 3 of 3/.test((await hint.textContent()) ?? ""), "the third tap, after a reload");
  const { x, y } = await placeOnScreen(page, ROBOT_ANCHORS[2]);
  await page.mouse.click(x, y);
  await page.locator('#preview[data-state="shown"]').waitFor({ timeout: MAKING_MS });
  t.match(await page.locator("#left").textContent(), /^28 points are left/);
  await checkPreview(t, page);
  await checkHandles(t, page);

  await partButton(page, "Outline").click();
  const chin = page.locator('[data-handle="chin"]');
  const before = await placeOf(page, "chin");
  await drag(page, chin, DRAG_PX);
  t.match(await hint.textContent(), /^Outline: |^Outline, chin: /, "the touched point says where it belongs");
  await page.screenshot({ path: join(ARTIFACTS, "mark-page.png") });
  const after = await placeOf(page, "chin");
  t.ok(after.y - before.y > 1, `the chin went down: ${before.y} to ${after.y}`);
  t.ok(Math.abs(after.x - before.x) < 1, "and not aside");
  await page.locator("#undo").click();
  t.same(await placeOf(page, "chin"), before);
  await page.locator("#redo").click();
  t.same(await placeOf(page, "chin"), after);
  await page.reload();
  await page.locator("#save").waitFor();
  t.same(await placeOf(page, "chin"), after, "a reload loses nothing");

  await page.locator("#save").click();
  await page.locator("#open:visible").waitFor({ timeout: MAKING_MS });
  await page.screenshot({ path: join(ARTIFACTS, "mark-page-saved.png") });
  t.equal(await page.locator("#open").getAttribute("href"), `${api.baseUrl}/#agent=finger-robot`);
  const { data: status } = (await api.call("GET", "/v1/agent/status/finger-robot", { secret })).body;
  t.match(status, { status: "ready", progress: 1, current_step: "done" });
  const { data } = (await api.call("GET", "/v1/agent/finger-robot/face-marks", { secret })).body;
  t.match(data, { is_waiting: false, marks: { chin: after } }, "the face was made from the mark as it was dragged");
  t.match(await axeViolations(page), []);

  await page.reload();
  await page.locator("#open:visible").waitFor();
  t.same(problems, [], "no error, no violation of the policy, no other origin");
  await page.close();
}

/** The preview is a face that opens its mouth: its lower half changes, and not by a hair. */
async function checkPreview(t: Test, page: Page): Promise<void> {
  const canvas = page.locator("#preview-canvas");
  const seen = new Set<string>();
  await waitFor(async () => {
    seen.add((await canvas.screenshot()).toString("base64"));
    return seen.size > 3;
  }, "a preview that moves");
  await page.locator("#play").click();
  const still = await waitFor(async () => {
    const [first, second] = [await canvas.screenshot(), await canvas.screenshot()];
    return first.equals(second) && second;
  }, "Pause stops it");
  for (let i = 0; i < STILL_SHOTS; i++) t.ok(still.equals(await canvas.screenshot()), "and it stays still");
  await page.locator("#play").click();
}

/** In each part every handle is a finger wide and apart from the others. */
async function checkHandles(t: Test, page: Page): Promise<void> {
  for (const { title } of FACE_PARTS) {
    await page
      .getByRole("button", { name: new RegExp(`^${title} `) })
      .first()
      .click();
    const boxes = await Promise.all((await page.locator(".handle").all()).map((handle) => handle.boundingBox()));
    t.ok(boxes.length >= 3, title);
    for (const [i, first] of boxes.entries()) {
      t.ok(first && Math.min(first.width, first.height) > TOUCH_PX - 0.5, `${title}: a finger wide`);
      for (const second of boxes.slice(i + 1)) {
        const [acrossPx, downPx] = [Math.abs(first!.x - second!.x), Math.abs(first!.y - second!.y)];
        t.ok(Math.max(acrossPx, downPx) >= TOUCH_PX - 0.5, `${title}: apart (${acrossPx}, ${downPx})`);
      }
    }
  }
}

async function markByKeyboard(t: Test, api: TestApi, browser: Browser, secret: string): Promise<void> {
  const marking = await untilWaiting(api, secret, "keyboard-robot");
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  await page.goto(marking.marking_url);
  const crosshair = page.locator('[data-handle="crosshair"]');
  await crosshair.waitFor();
  await tabTo(page, crosshair);
  for (const anchor of ROBOT_ANCHORS) {
    const target = await placeOnScreen(page, anchor);
    const box = (await crosshair.boundingBox())!;
    await walk(page, target.x - box.x - box.width / 2, target.y - box.y - box.height / 2);
    await page.keyboard.press("Enter");
  }
  await page.locator("#save").waitFor();
  const { marks } = await keptState(page);
  for (const [i, name] of (["pupil_left", "pupil_right"] as const).entries()) {
    const { x, y } = ROBOT_ANCHORS[i];
    t.ok(Math.hypot(marks[name].x - x, marks[name].y - y) < 3, `${name}: ${JSON.stringify(marks[name])}`);
  }
  await tabTo(page, partButton(page, "Mouth"));
  await page.keyboard.press("Enter");
  const corner = page.locator('[data-handle="mouth_left"]');
  await corner.waitFor();
  await tabTo(page, corner, "Shift+Tab");
  const before = await placeOf(page, "mouth_left");
  await page.keyboard.press("Shift+ArrowLeft");
  const after = await placeOf(page, "mouth_left");
  t.ok(before.x - after.x > 0.5 && Math.abs(before.y - after.y) < 0.1, "an arrow key moves the point");
  await page.keyboard.press("Control+z");
  t.same(await placeOf(page, "mouth_left"), before);
  await page.keyboard.press("Control+Shift+Z");
  t.same(await placeOf(page, "mouth_left"), after);
  // Enter says that a point is right, and goes on to the next. The corner was checked when it moved.
  await page.keyboard.press("Enter");
  for (let left = 27; left > 0; left--) {
    await waitFor(
      async () => new RegExp(`^${left} point`).test((await page.locator("#left").textContent()) ?? ""),
      `${left}`,
    );
    await page.keyboard.press("Enter");
  }
  await waitFor(async () => /^Every point/.test((await page.locator("#left").textContent()) ?? ""), "every point");
  await tabTo(page, page.locator("#save"));
  await page.keyboard.press("Enter");
  await page.locator("#open:focus").waitFor({ timeout: MAKING_MS });
  t.pass("the link to the avatar has the focus");
  await page.close();
}

async function markInFrame(t: Test, api: TestApi, browser: Browser, secret: string): Promise<void> {
  const { marking_url: url } = await untilWaiting(api, secret, "framed-robot");
  const page = await browser.newPage({ viewport: { width: 900, height: 800 } });
  await page.goto(`${api.baseUrl}/openapi.json`);
  await page.evaluate((src) => {
    window.addEventListener("message", ({ data }) => ((document.title as string) += ` ${data.state}`));
    const frame = document.createElement("iframe");
    Object.assign(frame, { src, width: 880, height: 780, title: "Marks" });
    document.body.replaceChildren(frame);
  }, url);
  const frame = page.frameLocator("iframe");
  await frame.locator("#stage").waitFor();
  t.equal(await frame.getByRole("heading").count(), 0);
  t.equal(await frame.locator(".site-header:visible").count(), 0);
  const stage = (await frame.locator("#stage").boundingBox())!;
  const scale = (Math.min(stage.width, stage.height) - 2) / 768;
  for (const { x, y } of ROBOT_ANCHORS) {
    await page.mouse.click(
      stage.x + stage.width / 2 + (x - 384) * scale,
      stage.y + stage.height / 2 + (y - 384) * scale,
    );
  }
  await frame.locator("#save").click();
  await waitFor(async () => (await page.title()).includes("placed ready"), "both messages", MAKING_MS);
  t.notOk(await frame.locator("#open").isVisible(), "the page around it leads on");
  await page.close();
}

async function checkStates(t: Test, api: TestApi, browser: Browser, secret: string): Promise<void> {
  for (const state of MARK_STATES) {
    for (const [colorScheme, viewport] of [
      ["light", PHONE],
      ["dark", { width: 1280, height: 800 }],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport });
      await state.open(page, { baseUrl: api.baseUrl, apiSecret: secret });
      t.same(await axeViolations(page), [], `${state.name}, ${colorScheme}`);
      t.ok(
        await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        `${state.name}: nothing is wider than the window`,
      );
      await page.close();
    }
  }
}

/** Creates an agent with an uncertain face, and waits until it needs marks. */
async function untilWaiting(api: TestApi, secret: string, code: string) {
  const image = (await readFile(ROBOT)).toString("base64");
  const body = { image, agent_id: code, model: "expression-2", aspect_ratio: "1:1" };
  await api.call("POST", "/v1/agent/generate", { secret, body });
  return waitFor(
    async () => {
      const { data } = (await api.call("GET", `/v1/agent/${code}/face-marks`, { secret })).body;
      return data?.is_waiting && data.marks ? data : null;
    },
    "the request for marks, with a guess",
    MAKING_MS,
  );
}

function partButton(page: Page, title: string): Locator {
  return page.locator("#parts").getByRole("button", { name: title });
}

async function drag(page: Page, handle: Locator, downPx: number): Promise<void> {
  await handle.scrollIntoViewIfNeeded();
  const box = (await handle.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + downPx, { steps: 4 });
  await page.locator(".loupe[data-shown]").waitFor();
  await page.mouse.up();
}

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  for (let i = 0; i < 60; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error("the keyboard does not get there");
}

/** Moves what has the focus by arrow keys. */
async function walk(page: Page, byX: number, byY: number): Promise<void> {
  const press = async (key: string, px: number) => {
    for (let i = 0; i < Math.floor(px / 10); i++) await page.keyboard.press(`Shift+${key}`);
    for (let i = 0; i < Math.round(px % 10); i++) await page.keyboard.press(key);
  };
  await press(byX < 0 ? "ArrowLeft" : "ArrowRight", Math.abs(byX));
  await press(byY < 0 ? "ArrowUp" : "ArrowDown", Math.abs(byY));
}

/** Where a mark lies, in px of the image. */
async function placeOf(page: Page, name: string): Promise<{ x: number; y: number }> {
  return (await keptState(page)).marks[name];
}

async function keptState(page: Page): Promise<{ marks: Record<string, { x: number; y: number }> }> {
  const text = String(await page.evaluate('localStorage.getItem("face-marks")'));
  return (JSON.parse(text) as { state: { marks: Record<string, { x: number; y: number }> } }).state;
}
