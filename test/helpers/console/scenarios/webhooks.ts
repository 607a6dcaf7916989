// Webhooks, with a real receiver: registered, tested, paused, and their signatures checked.
import { publishAccountEvent } from "../../../../api/webhooks/publish-event.ts";
import { withWebhookReceiver } from "../../servers/with-webhook-receiver.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const HOSTILE = `<img src=x onerror=alert(1)> \u202e${"W".repeat(200)}`;
const HTML =
  "document.documentElement.outerHTML + [...document.querySelectorAll('textarea, input')].map((f) => f.value)";

export const webhooksScenario: ConsoleScenario = {
  runsJobs: true,
  name: "webhooks: registered, tested, paused, and their signatures checked",
  // An address without TLS is refused. The other tab asks for what was deleted in this one.
  expected: /status of 400 .*\/v1\/webhooks$|status of 404 .*\/session-webhook\/deliveries/,
  run: ({ t, api, account, open, assertFits }) =>
    withWebhookReceiver(async (receiver) => {
      const page = await open({ path: "/account" });
      await page.getByRole("link", { name: "Webhooks" }).click();
      await page.getByText("No webhook yet.").waitFor();
      await assertFits(page, "empty");

      await page.getByLabel("Address of your server").fill("http://hooks.example/x");
      await page.keyboard.press("Enter");
      await page.getByText(/must use https/).waitFor();
      await page.getByLabel("Address of your server").fill(receiver.url);
      await page.getByLabel("Note, for yourself").fill(HOSTILE);
      await page.keyboard.press("Enter");
      const shown = page.getByLabel("Secret", { exact: true });
      await shown.waitFor();
      const secret = await shown.inputValue();
      t.match(secret, /^whsec_[0-9a-f]{64}$/);
      await page.locator(".secret-value:focus").waitFor();
      await page.keyboard.press("Escape");
      t.ok(await shown.isVisible(), "a secret is not lost by a key");
      await page.getByRole("button", { name: "I have kept it" }).click();
      await shown.waitFor({ state: "detached" });
      t.notOk(String(await page.evaluate(HTML)).includes(secret), "the secret is gone from the page");

      // Two clicks from the menu.
      await page.getByRole("link", { name: "Account" }).click();
      await page.getByRole("link", { name: "Webhooks" }).click();
      const send = page.getByRole("button", { name: `Send a test to ${receiver.url}` });
      await send.press("Enter");
      await page.getByText("Delivered: your server answered 200.").waitFor();
      await waitFor(() => send.evaluate((button) => button === document.activeElement), "the focus that it had");
      const [ping] = receiver.received;
      receiver.reply = () => 500;
      await page.getByRole("button", { name: `Send a test to ${receiver.url}` }).click();
      await page.getByText("Not delivered: your server answered 500, not 2xx.").waitFor();
      await assertFits(page, "a webhook");

      const small = await open({
        path: new URL(page.url()).pathname.replace("/console", ""),
        width: 320,
        theme: "dark",
      });
      await small.getByRole("link", { name: receiver.url }).click();
      await small.getByText("The last one: ping, not delivered.").waitFor();
      await small.locator("summary", { hasText: "not delivered" }).click();
      await small.getByText('"event":"ping"').first().waitFor();
      await assertFits(small, "deliveries");

      // Attempts are seen as they happen.
      await api.services.database.transaction().execute(async (transaction) => {
        const event = { name: "agent.ready", agentCode: "A00ABC0000", at: new Date() } as const;
        await publishAccountEvent(transaction, { ...event, userId: account.userId });
      });
      await small.getByText("The last one: agent.ready, will be sent again.").waitFor();
      receiver.reply = () => 200;
      await small.getByText("The last one: agent.ready, delivered.").waitFor();
      await small.locator("summary", { hasText: "agent.ready" }).getByText("2 attempts").waitFor();

      await small.getByRole("button", { name: "Pause" }).click();
      await small.getByText("This webhook is paused.").waitFor();
      await assertFits(small, "paused");
      await small.getByRole("button", { name: "Resume" }).click();
      await small.getByText("This webhook is paused.").waitFor({ state: "detached" });

      await page.getByRole("link", { name: "Check a signature" }).click();
      await page.getByLabel("Body, as it arrived").fill(ping.raw.toString());
      const lines = Object.entries(ping.headers).map(([name, value]) => `${name}: ${value}`);
      await page.getByLabel("Headers, one on each line").fill(lines.join("\n"));
      await page.getByLabel("Secret of the webhook").fill(secret);
      await page.keyboard.press("Enter");
      await page.getByText("It is genuine: the event ping of a registered webhook.").waitFor();
      await page.getByLabel("Secret of the webhook").fill(secret.replace(/.$/, (last) => (last === "0" ? "1" : "0")));
      await page.keyboard.press("Enter");
      await page.getByText(/The signature is not of this body/).waitFor();
      await assertFits(page, "the checker");

      await page.getByRole("link", { name: "Back" }).click();
      await page.getByRole("link", { name: "Set it up" }).click();
      await page.getByLabel("Address of your server").fill(receiver.url);
      await page.getByRole("button", { name: "Add headers" }).click();
      await page.getByLabel("Name of header 1").fill("Authorization");
      await page.getByLabel("Value of header 1").fill("Bearer of-the-owner");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "I have kept it" }).click();
      await page.getByText("value hidden").waitFor();
      t.notOk(String(await page.evaluate(HTML)).includes("of-the-owner"), "a header's value is not shown again");
      await page.getByRole("button", { name: "Send a test to Session webhook" }).click();
      await page.getByText("The last one: test, delivered.").waitFor();
      t.equal(receiver.received.at(-1)?.headers.authorization, "Bearer of-the-owner");
      await assertFits(page, "the session webhook");
      await page.getByRole("button", { name: "Remove the webhook" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove the webhook" }).click();
      await page.getByText("The last one").waitFor({ state: "detached" });

      await small.getByRole("button", { name: "Delete" }).click();
      await small.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await small.getByText("No webhook yet.").waitFor();
    }),
};
