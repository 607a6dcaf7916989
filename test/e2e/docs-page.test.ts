// The API reference in a real browser: every operation, links, search, requests, and no other host.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { ensureOperatorAccount } from "../../api/accounts/operator-account.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../../lab/page-sheet/axe-violations.ts";
import { buildWeb } from "../../web/build.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { withApi } from "../helpers/service/with-api.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const LOAD_TIMEOUT_MS = 90_000;
const OPERATOR_SECRET = "operator-secret-operator-secret-operator";
/** Brotli bytes over the wire until the page can be used. */
const FIRST_VIEW_BYTES = 200_000;

t.setTimeout(280_000);

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("/docs is the API's reference and sends requests", { skip, timeout: 280_000 }, async (t) => {
  await buildWeb({ outDir: join(PROJECT, "web", "dist") });
  await mkdir(ARTIFACTS, { recursive: true });
  await withApi((api) =>
    withChromium(async (browser) => {
      const { account, secret } = await api.addAccount();
      const agent = await addAgent(api.services, { userId: account.userId });
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.setDefaultTimeout(LOAD_TIMEOUT_MS);
      const problems: string[] = [];
      const hosts = new Set<string>();
      // A refused request is an answer here, and Chromium notes it as an error.
      const isProblem = (text: string) => !text.startsWith("Failed to load resource");
      page.on(
        "console",
        (message) => message.type() === "error" && isProblem(message.text()) && problems.push(message.text()),
      );
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("request", (request) => {
        if (/^(https?|wss?):/.test(request.url())) hosts.add(new URL(request.url()).origin);
      });
      const operation = (id: string) => page.locator(`[id="${id}"]`);

      await t.test("every operation is there, and a first view is small", async (t) => {
        const bytes = bytesOf(page);
        const response = await page.goto(`${api.baseUrl}/docs`);
        t.match(response?.headers()["content-security-policy"], /script-src 'self'; style-src 'self';/);
        await operation("agents.generate").locator(".sample").waitFor();
        const shown = await page.locator(".operation").count();
        const paths = Object.values(api.describe().paths ?? {}) as object[];
        t.equal(shown, paths.flatMap((item) => Object.keys(item)).length);
        const total = await bytes();
        t.comment(`a first view of ${total} bytes`);
        t.ok(total > 20_000 && total <= FIRST_VIEW_BYTES, `${total} bytes`);
        t.same(await axeViolations(page), []);
      });

      await t.test("a link opens its operation, and each field can be unfolded", async (t) => {
        await page.goto(`${api.baseUrl}/docs#agents.update`);
        await operation("agents.update").locator(".fields").first().waitFor();
        await operation("agents.update").getByText("Fields of providers").click();
        await operation("agents.update").getByText("Fields of llm").click();
        await operation("agents.update").getByText("provider_id").first().waitFor();
        t.same(await axeViolations(page), []);
        await page.locator("#contents").getByText("voices.list").click();
        await operation("voices.list").locator(".sample").waitFor();
        t.match(page.url(), /#voices\.list$/);
      });

      await t.test("operations are found by the names of their fields", async (t) => {
        await page.keyboard.press("/");
        await page.keyboard.type("frame_ancestors");
        await operation("agents.generate").waitFor({ state: "hidden" });
        t.ok(await operation("embedSettings.replace").isVisible());
        await page.locator("#filter").fill("flying saucers");
        await page.locator("#loading", { hasText: "Try another word" }).waitFor();
        t.same(await axeViolations(page), []);
        await page.locator("#filter").fill("");
      });

      await t.test("without a secret a request is refused before it is sent", async (t) => {
        await page.locator("#contents").getByText("accounts.me").click();
        const me = operation("accounts.me");
        await me.locator(".try-panel > summary").click();
        await me.locator(".try button[type=submit]").click();
        await me.locator(".wrong", { hasText: "secret" }).waitFor();
        t.same(await axeViolations(page), []);
      });

      await t.test("with one it is sent, and samples have the account's own agent", async (t) => {
        await page.locator("#secret").fill("wrong");
        await page.locator("#access button").click();
        await page.locator("#access-wrong", { hasText: "not valid" }).waitFor();
        await page.locator("#secret").fill(secret);
        await page.locator("#access button").click();
        await page.locator("#access-state", { hasText: "with your API secret" }).waitFor();
        const me = operation("accounts.me");
        await me.locator(".try button[type=submit]").click();
        await me.locator(".answer-status", { hasText: "200" }).waitFor();
        t.match(await me.locator(".answer").textContent(), account.userId);
        t.match(await me.locator(".answer-headers").textContent(), /X-Request-Id/);
        await page.locator("#contents").getByText("agents.speak").click();
        const speak = operation("agents.speak");
        await speak.locator(".sample code", { hasText: `/v1/agent/${agent}/speak` }).waitFor();
        await speak.getByRole("button", { name: "TypeScript" }).click();
        await speak.locator(".sample code", { hasText: "await fetch(" }).waitFor();
        t.same(await axeViolations(page), []);
        await page.screenshot({ path: join(ARTIFACTS, "docs-call.png") });
      });

      await t.test("a sample follows the form; a body that is no JSON and a refusal are shown", async (t) => {
        const speak = operation("agents.speak");
        await speak.locator(".try-panel > summary").click();
        await speak.locator("textarea").fill('{"message": "It\'s me"');
        await speak.locator(".wrong", { hasText: "not JSON" }).waitFor();
        await speak.locator("textarea").fill('{"message": "It\'s me"}');
        await speak.locator(".sample code", { hasText: 'message: "It\'s me"' }).waitFor();
        await speak.locator(".try button[type=submit]").click();
        await speak.locator(".answer-status", { hasText: "404" }).waitFor();
        t.match(await speak.locator(".answer").textContent(), /NOT_FOUND/);
        t.same(await axeViolations(page), []);
      });

      await t.test("a deletion asks once more", async (t) => {
        await page.locator("#contents").getByText("agents.delete").click();
        const remove = operation("agents.delete");
        await remove.locator(".try-panel > summary").click();
        await remove.locator(".try button[type=submit]").click();
        t.match(await remove.locator(".try button[type=submit]").textContent(), /cannot be undone/);
        await remove.locator(".try button[type=submit]").click();
        await remove.locator(".answer-status", { hasText: "200" }).waitFor();
      });

      await t.test("a connection that is lost is said, and what was typed stays", async (t) => {
        await page.context().setOffline(true);
        const speak = operation("agents.speak");
        await speak.locator(".try button[type=submit]").click();
        await speak.locator(".wrong", { hasText: "cannot be reached" }).waitFor();
        t.match(await speak.locator("textarea").inputValue(), /It's me/);
        await page.context().setOffline(false);
        await speak.locator(".try button[type=submit]").click();
        await speak.locator(".answer-status").waitFor();
      });

      await t.test("on a telephone the contents fold away", async (t) => {
        await page.setViewportSize({ width: 320, height: 568 });
        t.notOk(await page.locator("#contents").isVisible());
        await page.locator("#contents-button").click();
        await page.locator("#contents").getByText("videos.get").click();
        await operation("videos.get").locator(".sample").waitFor();
        t.notOk(await page.locator("#contents").isVisible());
        const widths = "[document.documentElement.scrollWidth, innerWidth]";
        const [needed, given] = (await page.evaluate(widths)) as [number, number];
        t.ok(needed <= given, `${needed} px in ${given}`);
        t.same(await axeViolations(page), []);
      });

      await t.test("on the machine of the service a token is enough for what the start page makes", async (t) => {
        await ensureOperatorAccount({ database: api.services.database, secret: OPERATOR_SECRET, now: new Date() });
        await page.evaluate("sessionStorage.clear()");
        await page.goto(`${api.baseUrl}/docs#accounts.me`);
        await page.reload();
        await page.locator("#access-state", { hasText: "token of this machine" }).waitFor();
        const me = operation("accounts.me");
        await me.locator(".try-panel > summary").click();
        await me.locator(".try button[type=submit]").click();
        await me.locator(".advice", { hasText: "Paste an API secret" }).waitFor();
        t.same(await axeViolations(page), []);
      });

      t.same([...hosts], [api.baseUrl], "nothing is asked of anybody else");
      t.same(problems, [], "no error, and nothing that the page's policy forbids");
    }),
  );
});

/** Counts what the page loads from now on, as it comes over the wire. */
function bytesOf(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    sizes.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
    );
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
