// API secrets: made, shown once and forgotten, listed with their use, and revoked.
import type { Page } from "playwright-core";
import { addSecret } from "../../../../api/accounts/secrets/secret-store.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const FOCUSED_TEXT = "document.activeElement.textContent";

export const secretsScenario: ConsoleScenario = {
  name: "a secret is made by keyboard, shown once, forgotten by the page, and revoked",
  expected: /40[139] .*api-secrets|401 .*\/console\/api/,
  async run({ t, api, account, secret, open, assertFits }) {
    const { database } = api.services;
    await addSecret(database, { userId: account.userId, alias: "cli@desk", createdAt: new Date(0) });
    t.match(await api.call("GET", "/v1/me", { secret }), { status: 200 }, "the first secret is used");
    const page = await open({ path: "/account", width: 320, theme: "dark" });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("link", { name: "API secrets" }).click();
    await page.getByRole("row", { name: /\btest\b/ }).waitFor();
    await assertFits(page, "narrow");
    t.match(await page.getByRole("row", { name: /cli@desk/ }).innerText(), /Computer[\s\S]*Not used/);
    t.match(await page.getByRole("row", { name: /\btest\b/ }).innerText(), /now|ago/);
    await page.getByText("120 a minute").waitFor();

    await page.getByRole("button", { name: "New secret" }).focus();
    await page.keyboard.press("Enter");
    const field = page.getByLabel("Name");
    await field.waitFor();
    await page.keyboard.type("<b>");
    await page.getByText("Letters, digits").waitFor();
    await field.fill("laptop");
    await page.keyboard.press("Enter");
    const shown = page.getByRole("textbox", { name: "Secret" });
    await shown.waitFor();
    const value = await shown.inputValue();
    t.match(value, /^as_.{62}$/);
    await assertFits(page, "the secret, narrow");
    await page.keyboard.press("Escape");
    t.ok(await shown.isVisible(), "what is shown once is closed by its button only");
    t.match(await api.call("GET", "/v1/me", { secret: value }), { status: 200 }, "it opens the API");
    t.ok((await searchHeap(page, value)) > 0, "while it is shown, the page has it");
    await page.getByRole("button", { name: "I have kept it" }).focus();
    await page.keyboard.press("Enter");
    await shown.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /\blaptop\b/ }).waitFor();
    t.equal(await page.evaluate(FOCUSED_TEXT), "New secret", "focus returns to what opened the dialog");
    t.notOk((await page.content()).includes(value), "it is gone from the page");
    t.equal(await searchHeap(page, value), 0, "and from its memory: state, queries, nodes");

    await page.getByRole("button", { name: "Revoke laptop" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Revoke laptop?" }).waitFor();
    await assertFits(page, "revoking, narrow");
    await page.getByRole("button", { name: "Revoke", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("laptop is revoked.").waitFor();
    await page.getByRole("row", { name: /\blaptop\b/ }).waitFor({ state: "detached" });
    t.match(await api.call("GET", "/v1/me", { secret: value }), { status: 401 });
    const reveal = `fetch("/console/api/v2/${account.userId}/api-secrets/test/get-value").then(({ status }) => status)`;
    t.equal(await page.evaluate(`${reveal}.catch(String)`), 403, "a value is told to no one, not here either");

    const wide = await open({ path: "/secrets", language: "de" });
    await wide.getByRole("button", { name: "Neues Secret" }).click();
    await wide.getByLabel("Name").fill("test");
    await wide.getByRole("button", { name: "Erstellen" }).click();
    await wide.getByText('A secret with the alias "test" already exists').waitFor();
    await assertFits(wide, "refused, wide, in German");
    await wide.keyboard.press("Escape");
    await assertFits(wide, "wide, in German");
    await api.call("DELETE", `/v2/${account.userId}/api-secrets/test`, { secret });
    await wide.reload();
    // Signed in with the secret that was revoked, one is signed out.
    await wide.getByLabel("API-Secret").waitFor();
  },
};

/** How often the tab's memory, after a collection, holds a text. */
async function searchHeap(page: Page, text: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await session.detach();
  return chunks.join("").split(text).length - 1;
}
