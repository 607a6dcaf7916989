// States of the console's views of webhooks and organizations.
import { Client } from "../../sdk/client/index.ts";
import { openConsole } from "./open-console.ts";
import type { PageState, SheetService } from "./page-state.ts";

/** Names that do not resolve: a test fails there. */
const HOOK = "https://hooks.invalid/avatars";
const NAME = "Museum of the Sea";
const GUEST = "guest@museum.example";

const clientOf = ({ baseUrl, apiSecret }: SheetService) => new Client({ baseUrl, apiSecret });

/** Id of the one webhook, with a delivery. */
async function webhookOf(service: SheetService): Promise<string> {
  const { webhooks } = clientOf(service);
  const [found] = (await webhooks.list()).items;
  if (found) return found.id;
  const { id } = await webhooks.create({ url: HOOK, description: "The shop's own server" });
  await webhooks.test(id);
  return id;
}

/** Id of the one organization, with an open invitation. */
async function organizationOf(service: SheetService): Promise<string> {
  const { accounts, organizations, members } = clientOf(service);
  const { user_id: userId } = await accounts.me();
  const [found] = (await organizations.listOwn(userId)).items;
  if (found) return found.id;
  const { id } = await organizations.create({ name: NAME });
  await members.invite(id, { email: GUEST });
  return id;
}

export const WEBHOOK_STATES: readonly PageState[] = [
  {
    name: "console, webhooks, none",
    async open(page, service) {
      const { webhooks } = clientOf(service);
      for (const { id } of (await webhooks.list()).items) await webhooks.delete(id);
      await openConsole(page, service, "/webhooks");
      await page.getByText("No webhook yet.").waitFor();
    },
  },
  {
    name: "console, webhooks, a secret is shown",
    async open(page, service) {
      await openConsole(page, service, "/webhooks");
      await page.getByLabel("Address of your server").fill(HOOK);
      await page.keyboard.press("Enter");
      await page.locator(".secret-value:focus").waitFor();
    },
  },
  {
    name: "console, webhooks, a test failed",
    async open(page, service) {
      await webhookOf(service);
      await openConsole(page, service, "/webhooks");
      await page.getByRole("button", { name: "Send a test to" }).first().click();
      await page.getByText("Your server did not answer.").waitFor();
    },
  },
  {
    name: "console, webhooks, deliveries of a paused one",
    async open(page, service) {
      const id = await webhookOf(service);
      await clientOf(service).webhooks.update(id, { active: false });
      await openConsole(page, service, `/webhooks/${id}`);
      await page.getByText("This webhook is paused.").waitFor();
      await page.locator("summary", { hasText: "not delivered" }).first().click();
    },
  },
  {
    name: "console, webhooks, chosen events, offline",
    async open(page, service) {
      const id = await webhookOf(service);
      await clientOf(service).webhooks.update(id, { active: true, events: ["agent.ready"] });
      await openConsole(page, service, `/webhooks/${id}`);
      await page.getByText("The last one").waitFor();
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The service cannot be reached.").first().waitFor();
    },
  },
  {
    name: "console, webhooks, session webhook",
    async open(page, service) {
      await openConsole(page, service, "/webhooks/session");
      await page.getByRole("button", { name: "Add headers" }).click();
    },
  },
  {
    name: "console, webhooks, a signature that is wrong",
    async open(page, service) {
      await openConsole(page, service, "/webhooks/check");
      await page.getByLabel("Body, as it arrived").fill('{"id":"evt_1","event":"ping","created":1,"data":{}}');
      await page
        .getByLabel("Headers, one on each line")
        .fill(`X-Service-Timestamp: 1\nX-Service-Signature: sha256=${"0".repeat(64)}`);
      await page.getByLabel("Secret of the webhook").fill(`whsec_${"0".repeat(64)}`);
      await page.keyboard.press("Enter");
      await page.getByText("not verified").waitFor();
    },
  },
  {
    name: "console, organizations, none",
    async open(page, service) {
      const { accounts, organizations } = clientOf(service);
      const { user_id: userId } = await accounts.me();
      for (const { id } of (await organizations.listOwn(userId)).items) await organizations.delete(id);
      await openConsole(page, service, "/organizations");
      await page.getByText("You are in no organization yet.").waitFor();
    },
  },
  {
    name: "console, organizations, one's own",
    async open(page, service) {
      await openConsole(page, service, `/organizations/${await organizationOf(service)}`);
      await page.getByText(`invited ${GUEST}.`).waitFor();
    },
  },
  {
    name: "console, organizations, an invitation of another's refused",
    async open(page, service) {
      await openConsole(page, service, "/organizations/invitation#token=none");
      await page.getByRole("button", { name: "Accept" }).click();
      await page.getByText("This invitation is not valid.").waitFor();
    },
  },
];
