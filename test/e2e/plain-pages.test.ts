// Pages that only inform, in a real browser: those of unknown addresses, and what refusals link to.
import { join } from "node:path";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../../lab/page-sheet/axe-violations.ts";
import { buildWeb } from "../../web/build.ts";
import { withIdleApi } from "../helpers/service/with-api.ts";

const DIST = join(import.meta.dirname, "..", "..", "web", "dist");
const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("an unknown address leads on, and refusals say what to do", { skip, timeout: 120_000 }, async (t) => {
  await buildWeb({ outDir: DIST });
  await withIdleApi((api) =>
    withChromium(async (browser) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser.newPage({ viewport: { width: 320, height: 568 }, colorScheme });
        const problems: string[] = [];
        page.on("pageerror", (error) => problems.push(error.message));

        const response = await page.goto(`${api.baseUrl}/docs/relatime`);
        t.equal(response?.status(), 404);
        t.equal(await page.locator("#meant-link").textContent(), "API", "what is below a page leads to that page");
        await page.goto(`${api.baseUrl}/relatime?x=1`);
        t.equal(await page.locator("#meant-link").textContent(), "Realtime");
        t.same(await axeViolations(page), []);
        await page.locator("#meant-link").click();
        await page.waitForURL(`${api.baseUrl}/realtime`);

        await page.goto(`${api.baseUrl}/no/such/page`);
        t.notOk(await page.locator("#meant").isVisible(), "nothing is guessed where nothing is near");
        await page.getByRole("navigation", { name: "What there is" }).getByRole("link", { name: "API" }).click();
        await page.waitForURL(`${api.baseUrl}/docs`);

        await page.goto(`${api.baseUrl}/account/plan`);
        t.match(await page.locator("main").textContent(), "npm run avatar -- accounts set-plan");
        t.match(await page.locator("main").textContent(), "docker compose exec api avatar accounts topup");
        t.same(await axeViolations(page), []);
        const size = "[document.documentElement.scrollWidth, innerWidth]";
        const [needed, given] = (await page.evaluate(size)) as [number, number];
        t.ok(needed <= given, `${needed} px in ${given}`);
        t.same(problems, []);
        await page.close();
      }
    }),
  );
});
