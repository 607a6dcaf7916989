// Organizations: an owner, a guest, and what each may see.
import type { Page } from "playwright-core";
import type { ConsoleScenario } from "../console-scenario.ts";

const NAME = `Sea <b>Museum</b> ${"W".repeat(70)}`;

async function confirm(page: Page, button: string, typed?: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  if (typed !== undefined) await dialog.getByRole("textbox").fill(typed);
  await dialog.getByRole("button", { name: button }).click();
  await dialog.waitFor({ state: "detached" });
}

export const organizationsScenario: ConsoleScenario = {
  name: "organizations: created, joined by a link, used, transferred and deleted",
  // Not every plan has organizations; and a tab hears that one was deleted by asking for it.
  expected: /status of (403 .*\/v2\/organizations$|404 .*\/v2\/organizations\/)/,
  async run({ t, api, account, open, assertFits }) {
    const guest = await api.addAccount({ plan: "pro" });
    const page = await open({ path: "/organizations" });
    await page.getByText("You are in no organization yet.").waitFor();
    await assertFits(page, "no organization");
    await page.getByLabel("Name", { exact: true }).fill(NAME);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    const path = new URL(page.url()).pathname.replace("/console", "");

    // The invitation is a link, which the owner sends by themselves.
    await page.getByLabel("E-mail address").fill(guest.account.email);
    await page.keyboard.press("Enter");
    const shown = page.getByLabel("Link of the invitation", { exact: true });
    const link = new URL(await shown.inputValue());
    t.match(link.href, /\/console\/organizations\/invitation#token=[\w-]{32}$/);
    await page.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("2 of").waitFor();
    await page.getByText("invited", { exact: true }).waitFor();
    await page.getByRole("button", { name: `Make a new link for ${guest.account.email}` }).click();
    const newLink = new URL(await shown.inputValue());
    await page.getByRole("button", { name: "I have kept it" }).click();

    // The first link was replaced.
    const invitation = (address: URL) => address.pathname.replace("/console", "") + address.hash;
    const other = await open({ path: invitation(newLink), width: 320, theme: "dark", secret: guest.secret });
    await other.getByRole("button", { name: "Accept" }).waitFor();
    t.equal(new URL(other.url()).hash, "", "the address does not keep the token");
    await assertFits(other, "an invitation");
    await other.getByRole("button", { name: "Accept" }).click();
    await other.getByRole("heading", { level: 1, name: NAME }).waitFor();
    t.equal(await other.getByText("Only the owner and admins see this. Your role: Member.").count(), 2);
    await assertFits(other, "a member");

    await page.reload();
    await page.getByLabel(`Role of ${guest.account.email}`).selectOption("admin");
    await page.getByText("The role was changed.").waitFor();
    await page.getByLabel("Alias of a new secret").fill("kiosk");
    await page.keyboard.press("Enter");
    t.ok(await page.getByLabel("Secret", { exact: true }).inputValue());
    await page.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("button", { name: "Revoke kiosk" }).waitFor();
    await page.getByText(`${account.email} invited ${guest.account.email}.`).waitFor();
    await assertFits(page, "an organization");

    // Who acts for it keeps that in the tab.
    const chooser = page.getByRole("navigation").getByLabel("You act for");
    await chooser.selectOption(NAME);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: NAME }).waitFor();
    await chooser.waitFor();
    t.match(path, await chooser.inputValue(), "the organization stays chosen");
    await page.getByRole("button", { name: "Revoke kiosk" }).click();
    await confirm(page, "Revoke");
    await page.getByText("None yet.").waitFor();

    const { slug } = (await api.call("GET", `/v2${path}`, { secret: guest.secret })).body;
    await page.getByRole("button", { name: "Transfer the organization" }).click();
    await confirm(page, "Transfer the organization", slug);
    await page.getByRole("region", { name: "About" }).getByText("Admin: may invite").waitFor();

    await other.reload();
    await other.getByRole("button", { name: "Delete the organization" }).click();
    const last = other.getByRole("dialog").getByRole("button", { name: "Delete the organization" });
    t.ok(await last.isDisabled(), "its name is typed first");
    await assertFits(other, "a deletion");
    await confirm(other, "Delete the organization", slug);
    await other.getByText("You are in no organization yet.").waitFor();

    const poor = await api.addAccount({ plan: "creator" });
    const refused = await open({ path: "/organizations", width: 320, language: "es", secret: poor.secret });
    await refused.getByLabel("Nombre", { exact: true }).fill("X");
    await refused.keyboard.press("Enter");
    await refused.getByRole("link", { name: "Cambiar el plan" }).waitFor();
    await assertFits(refused, "a plan without organizations");
  },
};
