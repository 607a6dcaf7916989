// The API documentation page in a real browser: it lists all routes, can send a request, and contacts no other host.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../web/build.ts";
import { withApi } from "../helpers/service/with-api.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const LOAD_TIMEOUT_MS = 90_000;

t.setTimeout(280_000);

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("/docs documents the API and can send requests", { skip, timeout: 240_000 }, async (t) => {
  await buildWeb();
  await mkdir(ARTIFACTS, { recursive: true });
  await withApi((api) =>
    withChromium(async (browser) => {
      const { secret } = await api.addAccount();
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.setDefaultTimeout(LOAD_TIMEOUT_MS);
      const problems: string[] = [];
      const hosts = new Set<string>();
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).origin);
      });
      const response = await page.goto(`${api.baseUrl}/docs`);
      t.match(response?.headers()["content-security-policy"], /script-src 'self'; style-src 'self';/);
      await page.waitForSelector(".opblock");
      const shown = await page.locator(".opblock").count();
      const paths = Object.values(api.describe().paths ?? {}) as object[];
      t.equal(shown, paths.flatMap((item) => Object.keys(item)).length, "every operation is there");
      await page.screenshot({ path: join(ARTIFACTS, "docs.png") });

      await page.click(".btn.authorize");
      await page.fill(".auth-container input >> nth=0", secret);
      await page.click(".auth-btn-wrapper .authorize >> nth=0");
      await page.click(".btn-done");
      const me = page.locator(".opblock", { has: page.locator('[data-path="/v1/me"]') });
      await me.locator(".opblock-summary-control").click();
      await me.locator(".try-out__btn").click();
      await me.locator(".execute").click();
      const status = me.locator(".live-responses-table .response .response-col_status").first();
      await status.waitFor();
      t.match(await status.textContent(), /200/, "a call with the secret is answered");
      await me.scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(ARTIFACTS, "docs-call.png") });
      t.same([...hosts], [api.baseUrl], "nothing is asked of anybody else");
      t.same(problems, [], "no error, and nothing that the page's policy forbids");
    }),
  );
});
