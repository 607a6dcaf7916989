// Pages that only inform, in a real browser: those of unknown addresses, and what refusals link to.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { axeViolations } from "../../lab/page-sheet/axe-violations.ts";
import { buildWeb } from "../../web/build.ts";
import { withIssuer } from "../helpers/servers/with-issuer.ts";
import { makeLink } from "../helpers/service/sign-in.ts";
import { type TestApi, withIdleApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** After this a computer's code has expired. */
const DEVICE_CODE_MS = 601_000;
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

const SIZE = "[document.documentElement.scrollWidth, innerWidth]";
/** In a page of another site: posts what is JSON to one who does not look at its type. */
const SEND_FORM = `((url) => {
  document.body.innerHTML = '<form method="post" enctype="text/plain"><input></form>';
  const [form] = document.forms;
  form.action = url;
  Object.assign(form.elements[0], { name: '{"url":"https://elsewhere.example/x","events":[],"description":"', value: '"}' });
  form.submit();
})`;
const SEND_REQUEST = `((url) => {
  const body = JSON.stringify({ url: "https://elsewhere.example/x", events: [] });
  void fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body }).catch(() => undefined);
})`;

t.test("the console: a link, a secret, a computer's code, and signing out", { skip, timeout: 240_000 }, async (t) => {
  await buildWeb({ outDir: DIST });
  await withIdleApi((api) =>
    withChromium(async (browser) => {
      const { account, secret } = await api.addAccount();
      const problems: string[] = [];
      const open = async (colorScheme: "light" | "dark") => {
        const context = await browser.newContext({ viewport: { width: 320, height: 568 }, colorScheme });
        const page = await context.newPage();
        page.on("pageerror", (error) => problems.push(error.message));
        page.on("console", (message) => {
          const { url } = message.location();
          // An api without background work has no stream of changes.
          if (message.type() === "error" && !url.endsWith("/console/api/events"))
            problems.push(`${message.text()} ${url}`);
        });
        return { page, context };
      };
      const assertFits = async (page: Page, what: string) => {
        const [needed, given] = (await page.evaluate(SIZE)) as [number, number];
        t.ok(needed <= given, `${what}: ${needed} px in ${given}`);
        t.same(await axeViolations(page), [], what);
      };

      const { page, context } = await open("light");
      await page.goto(`${api.baseUrl}/console`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await assertFits(page, "signed out");
      const link = await makeLink(api, account.userId);
      await page.goto(`${api.baseUrl}/console/sign-in#link=${link}`);
      await page.getByRole("navigation").first().waitFor();
      t.notMatch(page.url(), /link=/, "the link is not in the address any more");
      t.match(await context.cookies(), [{ name: "avatar-console", httpOnly: true, sameSite: "Strict" }]);
      await page.goto(`${api.baseUrl}/console/account`);
      await page.getByText(`You are signed in as ${account.email}.`).waitFor();
      await page.getByText("This session. Signed in with a link").waitFor();
      await assertFits(page, "signed in");

      await withOtherSite(async (port) => {
        const url = `${api.baseUrl}/console/api/v1/webhooks`;
        // Another site, and another program of the same site, for which browsers send the cookie.
        for (const host of ["localhost", "127.0.0.1"]) {
          for (const script of [SEND_FORM, SEND_REQUEST]) {
            // The form leads to its answer: another page would interrupt that. It is closed with the browser: while
            // its form is being refused, its close may never end.
            const foreign = await context.newPage();
            await foreign.goto(`http://${host}:${port}/`);
            const answered = foreign.waitForResponse(url);
            await foreign.evaluate(`${script}(${JSON.stringify(url)})`);
            t.equal((await answered).status(), 403, `what a page of ${host} posts`);
          }
        }
      });
      t.match((await api.call("GET", "/v1/webhooks", { secret })).body, { data: [] }, "nothing was made");

      const { user_code, device_code } = await beginDevice(api);
      await page.goto(`${api.baseUrl}/device?code=${user_code}`);
      await page.getByText("desk", { exact: true }).waitFor();
      await assertFits(page, "a computer asks");
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("heading", { name: "Confirmed" }).waitFor();
      const issued = await api.call("POST", "/v1/cli/token", { body: { device_code } });
      t.match(issued.body, { status: "complete", alias: "cli@desk" });

      const other = await open("dark");
      await other.page.goto(`${api.baseUrl}/device?code=${(await beginDevice(api)).user_code}`);
      await other.page.getByText("Sign in first").waitFor();
      await other.page.getByLabel("API secret").fill(secret);
      await other.page.getByLabel("API secret").press("Enter");
      await other.page.getByRole("button", { name: "Refuse" }).click();
      await other.page.getByRole("heading", { name: "Refused" }).waitFor();
      await other.page.goto(`${api.baseUrl}/console/account`);
      await other.page.getByRole("button", { name: /^End the session/ }).click();
      await other.page.getByRole("button", { name: /^End the session/ }).waitFor({ state: "detached" });
      await assertFits(other.page, "after the other session was ended");
      await other.page.getByRole("button", { name: "Sign out" }).click();
      await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
      t.same(problems.splice(0), [], "no error, no violation of the policy");

      await page.goto(`${api.baseUrl}/console/sign-in#link=${link}`);
      await page.getByRole("alert").getByText("This link does not work any more").waitFor();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await assertFits(page, "the same link again");

      await page.goto(`${api.baseUrl}/docs`);
      await page.evaluate(`document.body.append(Object.assign(document.createElement("iframe"), { src: "/console" }))`);
      await waitFor(async () => problems.some((problem) => /frame/i.test(problem)), "the refusal of the frame");
      const framed = page.frames().find((frame) => frame.url().endsWith("/console"));
      t.notOk(framed && (await framed.locator("main").count()), "a framed console shows nothing");

      const value = "f".repeat(43);
      const cookie = { name: "avatar-console", value, url: api.baseUrl, httpOnly: true, sameSite: "Strict" as const };
      await context.addCookies([cookie]);
      await page.goto(`${api.baseUrl}/console/account`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      t.notOk(await page.getByText(account.email).count(), "a forged cookie shows nothing");
      await page.getByText("You are signed out: your session was ended").waitFor();
      await assertFits(page, "a forged cookie");
      const expired = await beginDevice(api);
      await page.goto(`${api.baseUrl}/device?code=${expired.user_code}`);
      await page.getByText("Sign in first").waitFor();
      api.clock.hold();
      api.clock.advance(DEVICE_CODE_MS);
      await page.getByLabel("API secret").fill(secret);
      await page.getByLabel("API secret").press("Enter");
      await page.getByRole("alert").getByText("No program waits with this code.").waitFor();
      t.notOk(await page.getByRole("button", { name: "Confirm" }).count(), "an expired code cannot be confirmed");
      await assertFits(page, "a code that has expired");
    }),
  );
});

t.test("at an issuer, and back to a computer's code", { skip, timeout: 240_000 }, async (t) => {
  await buildWeb({ outDir: DIST });
  await withIssuer((issuer) =>
    withIdleApi(
      (api) =>
        withChromium(async (browser) => {
          const { account } = await api.addAccount();
          issuer.person = { sub: "ada", email: account.email, email_verified: true };
          const page = await browser.newPage({ viewport: { width: 320, height: 568 } });
          const { user_code } = await beginDevice(api);
          await page.goto(`${api.baseUrl}/device?code=${user_code}`);
          await page.getByRole("button", { name: "Sign in with Example" }).click();
          await page.getByText(`You are signed in as ${account.email}.`).waitFor();
          t.equal(page.url(), `${api.baseUrl}/console`, "the code of the issuer is not in the address any more");
          await page.getByText(user_code).waitFor();
          await page.goto(`${api.baseUrl}/console/account`);
          await page.getByText("This session. Signed in with an issuer").waitFor();

          await page.getByRole("button", { name: "Sign out" }).click();
          await page.getByRole("heading", { name: "Sign in" }).waitFor();
          await page.goto(`${api.baseUrl}/console/sessions?state=ended`);
          await page.getByRole("button", { name: "Sign in with Example" }).click();
          await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
          t.equal(page.url(), `${api.baseUrl}/console/sessions?state=ended`, "back where one was");
          await page.goto(`${api.baseUrl}/console/account`);

          issuer.person = { sub: "eve", email: "eve@example.test", email_verified: true };
          await page.getByRole("button", { name: "Sign out" }).click();
          await page.getByRole("button", { name: "Sign in with Example" }).click();
          await page.getByRole("alert").getByText("There is no account for eve@example.test here").waitFor();
        }),
      {
        environment: {
          AVATAR_OIDC_ISSUER: issuer.url,
          AVATAR_OIDC_CLIENT_ID: issuer.clientId,
          AVATAR_OIDC_CLIENT_SECRET: issuer.clientSecret,
          AVATAR_OIDC_NAME: "Example",
        },
      },
    ),
  );
});

/** `work` gets the port of a server with an empty page. */
async function withOtherSite(work: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function beginDevice(api: TestApi): Promise<{ user_code: string; device_code: string }> {
  return (await api.call("POST", "/v1/cli/device", { body: { hostname: "desk" } })).body;
}
