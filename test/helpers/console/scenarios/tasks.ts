// The ten tasks that reach their goal in two clicks from the menu.
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { chargeCredits } from "../../../../api/accounts/credits/ledger.ts";
import { insertMessages } from "../../../../api/sessions/messages/message-store.ts";
import { untilAlive } from "../../pages/start-page.ts";
import { withWebhookReceiver } from "../../servers/with-webhook-receiver.ts";
import { addAgent } from "../../service/add-agent.ts";
import { signIn } from "../../service/sign-in.ts";
import type { ConsoleScenario, ConsoleTools } from "../console-scenario.ts";
import { seedSession } from "../seed-sessions.ts";

const ASTRONAUT = join(import.meta.dirname, "..", "..", "..", "fixtures", "portraits", "astronaut.png");
const MOST_CLICKS = 2;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Task {
  name: string;
  /** As the menu has it. */
  view: string;
  /** What is clicked after the menu, one after the other. */
  clicks: readonly ((page: Page) => Locator)[];
  /** Given to the choice of a file that the last click opens. */
  file?: string;
  /** Typed after the last click, and confirmed. */
  typed?: string;
  /** Resolves when the goal is reached. */
  goal(page: Page): Promise<unknown>;
}

export const tasksScenario: ConsoleScenario = {
  runsJobs: true,
  name: "ten tasks reach their goal in two clicks from the menu",
  // No LiveKit server is here to talk in.
  expected: /status of (503|404) .*(\/embed\/session|\/imx|\/still)/,
  run: (tools) =>
    withWebhookReceiver(async ({ url }) => {
      const { t, open, assertFits } = tools;
      const code = await seed(tools, url);
      const page = await open({ path: "/account" });
      for (const { name, view, clicks, file, typed, goal } of tasks(code, url)) {
        await page.getByRole("navigation").getByRole("link", { name: view, exact: true }).click();
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        const chooser = file === undefined ? undefined : page.waitForEvent("filechooser");
        for (const click of clicks) await click(page).click();
        if (file !== undefined) await (await chooser)?.setFiles(file);
        if (typed !== undefined) {
          await page.keyboard.type(typed);
          await page.keyboard.press("Enter");
        }
        await goal(page);
        t.ok(clicks.length <= MOST_CLICKS, `${name}: ${clicks.length} after the menu`);
        if (typed !== undefined) await page.getByRole("button", { name: "I have kept it" }).click();
      }
      await assertFits(page, "at the end");
    }),
};

function tasks(code: string, url: string): readonly Task[] {
  const agent = (page: Page) => page.locator(".agent-card", { hasText: code });
  const main = (page: Page) => page.locator("#view");
  return [
    {
      name: "make a face",
      view: "Create",
      clicks: [(page) => page.locator("#choose")],
      file: ASTRONAUT,
      goal: untilAlive,
    },
    {
      name: "hear another voice",
      view: "Voices",
      clicks: [(page) => page.getByRole("button", { name: "Hear Sophie" })],
      goal: (page) => page.getByText("Sophie speaks.").waitFor(),
    },
    {
      name: "talk",
      view: "Talk",
      clicks: [agent],
      goal: (page) => page.frameLocator(".talk-frame").getByText("Ada").first().waitFor(),
    },
    {
      name: "read yesterday's transcript",
      view: "Sessions",
      clicks: [(page) => page.getByRole("link", { name: /^Transcript of/ })],
      goal: (page) => page.getByText("At ten, from Tuesday to Sunday.").waitFor(),
    },
    {
      name: "end a session",
      view: "Sessions",
      clicks: [
        (page) => page.getByRole("button", { name: /^End the session of/ }),
        (page) => page.getByRole("dialog").getByRole("button", { name: "End", exact: true }),
      ],
      goal: (page) => main(page).getByText("its owner ended it").waitFor(),
    },
    {
      name: "see what it cost",
      view: "Usage",
      clicks: [],
      goal: (page) => page.getByRole("region", { name: "Ledger" }).getByText("Agent with essence-2").waitFor(),
    },
    {
      name: "make a secret",
      view: "API secrets",
      clicks: [(page) => page.getByRole("button", { name: "New secret" })],
      typed: "laptop",
      goal: (page) => page.getByRole("textbox", { name: "Secret" }).waitFor(),
    },
    {
      name: "test a webhook",
      view: "Webhooks",
      clicks: [(page) => page.getByRole("button", { name: `Send a test to ${url}` })],
      goal: (page) => page.getByText("Delivered: your server answered 200.").waitFor(),
    },
    {
      name: "get the tag for a page",
      view: "Share",
      clicks: [agent],
      goal: (page) => page.getByText(`data-agent-id="${code}"`).waitFor(),
    },
    {
      // The last one: from then on the person acts for the organization.
      name: "add a document",
      view: "Knowledge bases",
      clicks: [(page) => page.getByRole("button", { name: "Add documents" })],
      file: join(import.meta.dirname, "..", "..", "..", "..", "README.md"),
      goal: (page) => page.getByText("The build has begun.").waitFor(),
    },
  ];
}

/** An agent, yesterday's session with its transcript, one that runs, a charge, a webhook and an organization. */
async function seed({ api, account, secret }: ConsoleTools, webhookUrl: string): Promise<string> {
  const { database, links, now } = api.services;
  const { userId } = account;
  const agentCode = await addAgent(api.services, { userId, name: "Ada", hasFace: true });
  const shared = { userId, agentCode, hasConversation: true };
  const old = await seedSession(api, { ...shared, ageMs: DAY_MS, lengthMs: 5 * MINUTE_MS, credits: 20 });
  await seedSession(api, { ...shared, ageMs: MINUTE_MS });
  const message = "At ten, from Tuesday to Sunday.";
  const saidAt = new Date(now() - DAY_MS + MINUTE_MS);
  await database.transaction().execute(async (transaction) => {
    await insertMessages(transaction, old, [{ seq: 1, role: "assistant", message, saidAt }]);
    const order = { account, agentCode, links, at: saidAt, reason: "agent_generation_essence-2" };
    await chargeCredits(transaction, { ...order, amountCredits: 500, reference: "agent-model:1" });
  });
  await api.call("POST", "/v1/webhooks", { secret, body: { url: webhookUrl, events: [] } });
  const person = await signIn(api, userId);
  await person.call("POST", "/console/api/v2/organizations", { body: { name: "Museum" } });
  return agentCode;
}
