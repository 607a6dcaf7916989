// Avatar sessions: yesterday's transcript read, one that runs watched, prompted and ended, and all revoked.
import type { Page } from "playwright-core";
import { insertMessages } from "../../../../api/sessions/messages/message-store.ts";
import { addAgent } from "../../service/add-agent.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";
import { seedSession } from "../seed-sessions.ts";

const AGENT = "A01ABC0001";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HOSTILE = `<img src=x onerror="document.title='broken'"> ${"w".repeat(400)} \u202Eright to left`;
/** Rows of the list, and seconds that they are watched. */
const ROWS = 200;
const WATCHED_S = 5;
/** CPU time of the page's main thread a second, with that many rows that count. */
const MOST_CPU_S = 0.25;

export const sessionsScenarios: readonly ConsoleScenario[] = [
  {
    name: "yesterday's transcript is read, and a session that runs is watched, prompted and ended",
    // No worker answers here: stills and sentences are refused.
    expected: /(?:40[49]|503) .*\/(?:still|speak|add-context|cs_none|sessions)/,
    async run({ t, api, account, secret, open, assertFits }) {
      const { database } = api.services;
      const { userId } = account;
      await addAgent(api.services, { userId, code: AGENT, hasFace: true, name: `Ada <b>${"x".repeat(60)}` });
      const shared = { userId, agentCode: AGENT, hasConversation: true };
      const old = await seedSession(api, { ...shared, ageMs: DAY_MS, lengthMs: 5 * MINUTE_MS, credits: 20 });
      const startMs = api.services.now() - DAY_MS;
      const latency = { is_typed: false, text_ms: 90, decided_ms: 240, words_ms: 400, sound_ms: 520 };
      const say = (id: string, seq: number, role: "user" | "assistant", message: string) =>
        database
          .transaction()
          .execute((transaction) =>
            insertMessages(transaction, id, [
              { seq, role, message, saidAt: new Date(startMs + seq * 5_000), ...(role === "assistant" && { latency }) },
            ]),
          );
      await say(old, 1, "user", HOSTILE);
      await say(old, 2, "assistant", "I am Ada.");
      const running = await seedSession(api, { ...shared, ageMs: MINUTE_MS, id: "cs_running" });

      const page = await open({ path: "/account", width: 320, theme: "dark" });
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.getByRole("row", { name: new RegExp(old) }).waitFor();
      await assertFits(page, "list, narrow");
      await page.getByRole("link", { name: new RegExp(`Transcript of .*${old}`) }).click();
      await page.getByText("I am Ada.").waitFor();
      await page.getByText("Heard after 520 ms").waitFor();
      await page.getByText("520 ms, median of 1 answer").waitFor();
      await page.getByText("the last user left").first().waitFor();
      t.ok(await page.getByText("<img src=x").isVisible(), "what was said is shown as text");
      t.not(await page.title(), "broken");
      await assertFits(page, "an ended session, narrow");

      const wide = await open({ path: "/sessions" });
      const row = wide.getByRole("row", { name: /cs_running/ });
      await row.waitFor();
      await assertFits(wide, "list, wide");
      const length = () => row.getByRole("cell").nth(2).innerText();
      const before = await length();
      await waitFor(async () => (await length()) !== before, "the length counts on");
      await wide.getByLabel("State").selectOption("ended");
      await row.waitFor({ state: "detached" });
      t.match(wide.url(), /\?state=ended$/, "the filter stands in the address");
      await wide.getByLabel("Agent").selectOption(AGENT);
      await wide.getByLabel("Day").fill("2001-02-03");
      await wide.getByText("None matches the filter.").waitFor();
      await wide.getByRole("button", { name: "Show all" }).click();
      await row.getByRole("link").first().focus();
      await wide.keyboard.press("Enter");
      await wide.getByText("Nothing has been said yet").waitFor();
      await say(running, 1, "assistant", "Hello there.");
      await wide.getByText("Hello there.").waitFor();
      await wide.getByLabel("A sentence for the avatar to say").fill("Good morning.");
      await wide.getByRole("button", { name: "Say it" }).click();
      await wide.getByText("No active rooms found for agent").waitFor();
      await assertFits(wide, "a running session, wide");
      await wide.getByRole("button", { name: "End", exact: true }).focus();
      await wide.keyboard.press("Enter");
      await wide.getByRole("heading", { name: /^End the session of/ }).waitFor();
      await wide.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
      await wide.getByText("its owner ended it").first().waitFor();
      const { body } = await api.call("GET", `/v1/runtime-sessions/${running}`, { secret });
      t.match(body, { status: "ended", end_reason: "terminated" });

      await wide.getByRole("link", { name: "Back" }).click();
      await wide.getByRole("button", { name: "Revoke all" }).click();
      const confirm = wide.getByRole("dialog").getByRole("button", { name: "Revoke all" });
      t.ok(await confirm.isDisabled(), "first the word is typed");
      await wide.getByLabel("Type revoke to confirm").fill("revoke");
      await confirm.click();
      await wide.getByText("0 sessions ended.").waitFor();
      await wide.getByText("No session is running.").waitFor();
      await assertFits(wide, "all revoked");
      t.match(await api.call("GET", "/v1/me", { secret }), { body: { data: { runtime_suspended: true } } });

      await wide.goto(`${api.baseUrl}/console/sessions/cs_none`);
      await wide.getByRole("button", { name: "Try again" }).waitFor();
      await assertFits(wide, "a session that is not there");
    },
  },
  {
    name: "two hundred sessions count each second without being rendered again",
    async run({ t, api, account, open }) {
      const { userId } = account;
      for (let index = 0; index < ROWS; index++) await seedSession(api, { userId, ageMs: (index + 1) * 1_000 });
      const page = await open({ path: "/sessions" });
      await page
        .getByRole("row", { name: /cs_/ })
        .nth(ROWS - 1)
        .waitFor();
      const seconds = await cpuSeconds(page, WATCHED_S);
      t.comment(`${ROWS} rows: ${Math.round(seconds * 1000)} ms of CPU time of the main thread a second`);
      t.ok(seconds < MOST_CPU_S, `${seconds} s a second`);
      const rendered = await page.evaluate(OTHER_CHANGES);
      t.equal(rendered, 0, "only what counts changes");
    },
  },
];

/** In the page: changes within two seconds of anything but what counts. */
const OTHER_CHANGES = `new Promise((resolve) => {
  let others = 0;
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      if (element?.closest("tbody") && !element.closest(".counted")) others += 1;
    }
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  setTimeout(() => resolve(others), 2_000);
})`;

/** CPU time of the page's main thread a second, over some seconds. */
async function cpuSeconds(page: Page, overS: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskSeconds = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const from = await taskSeconds();
  await page.waitForTimeout(overS * 1_000);
  const seconds = ((await taskSeconds()) - from) / overS;
  await session.detach();
  return seconds;
}
