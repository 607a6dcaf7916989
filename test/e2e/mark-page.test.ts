// The page for marking a face, in a real browser: from the link of a waiting agent to the face that is baked from the
// marks.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { watch } from "../../lab/bench/engine-tab.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../web/build.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const MAKING_MS = 240_000;
const CODE = "marked-robot";
/** How far the chin is dragged, in px of the screen. */
const DRAG_PX = 12;

t.setTimeout(600_000);

const skip = findChromium() ? false : CHROMIUM_MISSING;
/** A drawn robot: its face is detected, but as uncertain. */
const ROBOT = join(PROJECT, "models", "gallery", "bolt.png");

t.test("a person drags a mark, saves, and the face is made from it", { skip, timeout: 500_000 }, async (t) => {
  await buildWeb();
  await mkdir(ARTIFACTS, { recursive: true });
  await withApi((api) =>
    withChromium(async (browser) => {
      const { secret } = await api.addAccount({ credits: 5_000 });
      const marking = await untilWaiting(api, secret);
      const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
      const problems = watch(page, api.baseUrl);
      const hint = page.locator("#hint");

      await page.goto(marking.marking_url.replace(/#.*/, ""));
      await waitFor(async () => /incomplete/.test((await hint.textContent()) ?? ""), "a link without its token");
      t.ok(await page.locator("#save").isDisabled());
      // The fragment alone makes no new visit.
      await page.goto("about:blank");

      await page.goto(marking.marking_url);
      await page.locator("circle.handle").nth(29).waitFor();
      t.equal(await page.locator("circle.handle").count(), 30);
      t.match(await hint.textContent(), /Drag each point/);
      const { chin, before, after } = await dragChin(page);
      await page.screenshot({ path: join(ARTIFACTS, "mark-page.png") });
      t.match(await hint.textContent(), /^chin: /, "the touched mark says what it belongs on");
      t.ok(after.y - before.y > 1, `the chin went down: ${before.y} to ${after.y}`);
      t.ok(Math.abs(after.x - before.x) < 1, "and not aside");
      await chin.press("Shift+ArrowUp");
      const stepped = await placeOf(chin);
      t.ok(Math.abs(after.y - stepped.y - 10) < 0.2, "the keyboard moves it, too");
      await chin.press("Shift+ArrowDown");

      await page.locator("#save").click();
      await waitFor(async () => /Thank you/.test((await hint.textContent()) ?? ""), "the thanks", MAKING_MS);
      await page.screenshot({ path: join(ARTIFACTS, "mark-page-saved.png") });
      const ready = await waitFor(
        async () => {
          const { data } = (await api.call("GET", `/v1/agent/status/${CODE}`, { secret })).body;
          return ["ready", "failed"].includes(data.status) ? data : null;
        },
        "the agent",
        MAKING_MS,
      );
      t.match(ready, { status: "ready", progress: 1, current_step: "done" });
      const { data } = (await api.call("GET", `/v1/agent/${CODE}/face-marks`, { secret })).body;
      t.match(data, { is_waiting: false, marks: { chin: after } }, "the face was made from the mark as it was dragged");
      t.same(data.marks.forehead, marking.marks.forehead, "what was not touched stays where it was suggested");

      await page.reload();
      await waitFor(async () => /no longer needs marks/.test((await hint.textContent()) ?? ""), "the end of the link");
      t.same(problems, [], "no error, no violation of the policy, no other origin");
    }),
  );
});

/** Creates an agent with an uncertain face, and waits until it needs marks. */
async function untilWaiting(api: TestApi, secret: string) {
  const image = (await readFile(ROBOT)).toString("base64");
  const body = { image, agent_id: CODE, model: "expression-2", aspect_ratio: "1:1" };
  await api.call("POST", "/v1/agent/generate", { secret, body });
  return waitFor(
    async () => {
      const { data } = (await api.call("GET", `/v1/agent/${CODE}/face-marks`, { secret })).body;
      return data?.is_waiting && data.marks ? data : null;
    },
    "the request for marks, with a guess",
    MAKING_MS,
  );
}

async function dragChin(page: Page) {
  const chin = page.locator('circle[aria-label^="chin: "]');
  const before = await placeOf(chin);
  const box = await chin.boundingBox();
  if (!box) throw new Error("the chin is not on the page");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + DRAG_PX, { steps: 4 });
  await page.mouse.up();
  return { chin, before, after: await placeOf(chin) };
}

/** Where a handle lies, in px of the image. */
async function placeOf(handle: ReturnType<Page["locator"]>): Promise<{ x: number; y: number }> {
  const [x, y] = [await handle.getAttribute("cx"), await handle.getAttribute("cy")];
  return { x: Number(x), y: Number(y) };
}
