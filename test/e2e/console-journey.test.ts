// The console in front of the whole service: from a picture to a conversation, its cost and its end, in every way to
// operate it; and an api that restarts under an open console.
import type { Browser } from "playwright-core";
import t, { type Test } from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { makeJourney } from "../helpers/console/journey/journey.ts";
import { watchTab } from "../helpers/console/journey/watch-tab.ts";
import { WAYS } from "../helpers/console/journey/way.ts";
import { childPids } from "../helpers/processes/child-pids.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** There is a microphone, and it is not allowed. */
const FLAGS = ["--use-fake-device-for-media-stream"];
const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("from a picture to a conversation, its cost and its end", { skip, timeout: 900_000 }, (t) =>
  withStack((stack) =>
    withChromium(async (browser) => {
      for (const way of WAYS) await t.test(way.name, (t) => makeJourney(t, stack, browser, way));
      await t.test("an api that restarts under an open console", (t) => restarted(t, stack, browser));
    }, FLAGS),
  ),
);

async function restarted(t: Test, { baseUrl, apiSecret, agentCode, signInLink }: TestStack, browser: Browser) {
  const context = await browser.newContext({ locale: "en" });
  const page = await context.newPage();
  const problems: string[] = [];
  // What is asked meanwhile is refused or cut off.
  watchTab(page, baseUrl, problems, /net::ERR_|status of 503/);
  const streams: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/console/api/events")) streams.push(request.url());
  });
  await page.goto(await signInLink());
  await page.waitForURL("**/console/create");
  await page.goto(`${baseUrl}/console/agents`);
  const live = page.getByRole("status").filter({ hasText: /^Live$/ });
  await live.waitFor();
  const [cookie] = await context.cookies();
  const [pid] = childPids("--behind-front=");
  process.kill(pid, "SIGKILL");
  await waitFor(() => childPids("--behind-front=").some((other) => other !== pid), "another process");
  // From elsewhere, as soon as there is an api again.
  await waitFor(async () => {
    const answer = await fetch(`${baseUrl}/v1/agent/${agentCode}`, {
      method: "POST",
      headers: { "api-secret": apiSecret, "content-type": "application/json" },
      body: JSON.stringify({ name: "Renamed meanwhile" }),
    }).catch(() => undefined);
    return answer?.ok;
  }, "an api that serves again");
  await page.getByText("Renamed meanwhile").waitFor();
  await live.waitFor();
  await waitFor(() => streams.length > 1, "another stream");
  t.equal(await page.locator("main [role=alert]:visible").count(), 0, "nothing is refused any more");
  t.match(await context.cookies(), [{ name: cookie.name, value: cookie.value }], "the session goes on");
  t.same(problems, [], "no other error");
  await context.close();
}
