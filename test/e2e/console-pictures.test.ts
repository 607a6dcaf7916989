// Every view of the console looks as its committed picture, by day and by night. `AVATAR_WRITE_PICTURES=1` writes the
// pictures anew: look at them before they are committed.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import sharp from "sharp";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { SHEET_FLAGS } from "../../lab/page-sheet/photograph-states.ts";
import { buildWeb } from "../../web/build.ts";
import { seedAccount } from "../helpers/console/seed-account.ts";
import { openConsoleTab } from "../helpers/console/signed-in-tab.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FOLDER = join(ROOT, "test", "fixtures", "console");
const NOW = "2026-11-02T09:30:00Z";
const VIEWPORT = { width: 1280, height: 800 };
/** Pictures are compared at half their size: letters of another version of the browser differ less than that. */
const SCALE = 0.5;
const COLOUR_THRESHOLD = 0.15;
const MAX_DIFFERENT = 0.02;
/** What is another one in each run. */
const VOLATILE = "code:not(details:not([open]) code), img, canvas, iframe, video, [data-volatile]";
/** Views of the operator, and of what comes from outside. */
const NOT_PICTURED = ["operator", "account"];
const skip = findChromium() ? false : CHROMIUM_MISSING;
const isWriting = process.env.AVATAR_WRITE_PICTURES === "1";

t.test("each view looks as its picture", { skip, timeout: 900_000 }, async (t) => {
  await buildWeb({ outDir: join(ROOT, "web", "dist") });
  await mkdir(FOLDER, { recursive: true });
  await withApi(
    (api) =>
      withChromium(async (browser) => {
        api.clock.hold();
        const { account, secret } = await api.addAccount({ plan: "business", credits: 1000 });
        await seedAccount(api, account.userId, secret);
        for (const theme of ["light", "dark"] as const) {
          const options = { path: "/account", theme, language: "en", viewport: VIEWPORT, timezone: "UTC" };
          const page = await openConsoleTab({ api, browser, secret }, options);
          await page.clock.setFixedTime(NOW);
          await page.getByRole("heading", { level: 1 }).waitFor();
          const links = page.locator("nav.menu-column li a");
          const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
          for (const path of paths) {
            const view = path.split("/").at(-1) ?? "";
            if (NOT_PICTURED.includes(view)) continue;
            await page.goto(api.baseUrl + path);
            await settle(page);
            const picture = await photograph(page);
            const file = join(FOLDER, `${view}-${theme}.png`);
            if (isWriting) await writeFile(file, picture);
            else t.ok((await difference(picture, file)) <= MAX_DIFFERENT, `${view}, ${theme}`);
          }
          await page.context().close();
        }
      }, SHEET_FLAGS),
    { environment: { AVATAR_NOW: NOW }, background: "loops" },
  );
});

/** Waits until the view shows all answers. */
async function settle(page: Page): Promise<void> {
  await page.locator("#view h1").first().waitFor();
  const busy = page.locator("#view .waiting, #view [aria-busy=true]");
  await waitFor(async () => (await busy.count()) === 0, "an answer to all questions");
  await page.evaluate("document.fonts.ready.then(() => true)");
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

async function photograph(page: Page): Promise<Buffer> {
  const mask = [page.locator(VOLATILE)];
  const whole = await page.screenshot({ animations: "disabled", caret: "hide", mask, maskColor: "#808080" });
  const width = VIEWPORT.width * SCALE;
  return sharp(whole).resize({ width }).png({ compressionLevel: 9, palette: true, colours: 64 }).toBuffer();
}

/** Share of the picture that differs from the committed one: 1 if there is none. */
async function difference(picture: Buffer, file: string): Promise<number> {
  const committed = await readFile(file).catch(() => undefined);
  if (!committed) return 1;
  const [now, then] = [PNG.sync.read(picture), PNG.sync.read(committed)];
  if (now.width !== then.width || now.height !== then.height) return 1;
  const pixels = pixelmatch(now.data, then.data, undefined, now.width, now.height, { threshold: COLOUR_THRESHOLD });
  return pixels / (now.width * now.height);
}
