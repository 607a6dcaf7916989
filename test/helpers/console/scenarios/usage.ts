// What was spent: chart, table, file, ledger and calculator.
import { readFile } from "node:fs/promises";
import { chargeCredits, refundCharge } from "../../../../api/accounts/credits/ledger.ts";
import { settleSession } from "../../../../api/sessions/life/metering.ts";
import { insertAvatarSession, moveAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { addAgent } from "../../service/add-agent.ts";
import { newSession } from "../../service/new-session.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario, ConsoleTools } from "../console-scenario.ts";

const DAY_MS = 86_400_000;
const SESSIONS = 30;

export const usageScenario: ConsoleScenario = {
  name: "usage: what was spent is read from the chart by keyboard, from its table, a file and the ledger",
  async run(tools) {
    const { t, open, assertFits } = tools;
    const empty = await open({ path: "/usage", width: 320 });
    await empty.getByText("Nothing was spent yet.").waitFor();
    await empty.getByText("The same by a program").click();
    await empty.getByText("/v1/usage/groups?by=day").waitFor();
    await assertFits(empty, "before anything was spent");

    await spend(tools);
    const page = await open({ path: "/usage" });
    const chart = page.getByRole("slider", { name: /^Credits by Day/ });
    await chart.locator("canvas").waitFor();
    await page.getByText("350 credits").first().waitFor();
    await page.getByText("Together: 650 credits, 30:00").waitFor();
    await chart.focus();
    await page.keyboard.press("End");
    const today = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });
    await page.getByText(`${today.format(new Date(tools.api.services.now()))}: 120 credits, 30:00`).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/: 530 credits, 0:00$/).waitFor();
    await assertFits(page, "a bar is read");

    const picture = () => chart.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const light = await picture();
    await page.emulateMedia({ colorScheme: "dark" });
    await waitFor(async () => (await picture()) !== light, "other colours");
    await assertFits(page, "by night");

    await page.getByRole("radio", { name: "Agent" }).press("Enter");
    await page.getByText("The same as a table").click();
    await page.getByRole("row", { name: "=Guide 650 30:00" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as CSV" }).click(),
    ]);
    const text = await readFile(await download.path(), "utf8");
    t.equal(text, "\uFEFFAgent,key,credits,seconds\r\n'=Guide,guide,650,1800\r\n", "no formula for a spreadsheet");
    await page.getByRole("radio", { name: "Price" }).press("Enter");
    await page.getByRole("rowheader", { name: "Session with essence-2, streamed" }).waitFor();
    await page.getByRole("radio", { name: "API secret" }).press("Enter");
    await page.getByRole("rowheader", { name: "test" }).waitFor();

    const ledger = page.getByRole("region", { name: "Ledger" });
    t.equal(await ledger.getByRole("row").count(), 26, "a page of the ledger, and its head");
    await ledger.getByRole("button", { name: "Show more" }).press("Enter");
    await ledger
      .getByText(/^Agent with essence-2/)
      .first()
      .waitFor();
    await ledger.getByLabel("Kind").selectOption({ label: "Refund" });
    await ledger.getByText("Refund: Agent with essence-2").waitFor();
    await page.getByLabel("Minutes of sessions").fill("12,5");
    await page.getByText("175 credits", { exact: true }).waitFor();
    await page.getByText("The balance is enough for it; 175 credits are left.").waitFor();
    await assertFits(page, "wide");

    const phone = await open({ path: "/usage", width: 320, theme: "dark", language: "de" });
    await phone.getByRole("heading", { name: "Verbrauch", level: 1 }).waitFor();
    await phone.getByText("Zusammen: 650 Credits, 30:00").waitFor();
    await phone.locator(".chart canvas").waitFor();
    await phone.getByText("Dasselbe als Tabelle").click();
    await assertFits(phone, "in German on a phone");
    const spanish = await open({ path: "/usage", width: 320, language: "es" });
    await spanish.getByText("En total: 650 créditos, 30:00").waitFor();
    await assertFits(spanish, "in Spanish on a phone");
  },
};

/** Yesterday an agent that failed and one that was made; today half an hour of sessions. */
async function spend({ api, account }: ConsoleTools): Promise<void> {
  const { database, links, now } = api.services;
  const { userId } = account;
  const { id: secretId } = await database
    .selectFrom("api_secrets")
    .select("id")
    .where("user_id", "=", userId)
    .where("is_console", "=", false)
    .executeTakeFirstOrThrow();
  const agentCode = await addAgent(api.services, { userId, code: "guide" });
  // A name that a spreadsheet would run.
  await database.updateTable("agents").set({ name: "=Guide" }).where("code", "=", agentCode).execute();
  const yesterday = new Date(now() - DAY_MS);
  await database.transaction().execute(async (transaction) => {
    const order = { account, agentCode, secretId, links, at: yesterday, reason: "agent_generation_essence-2" };
    await chargeCredits(transaction, { ...order, amountCredits: 500, reference: "agent-model:1" });
    await refundCharge(transaction, { userId, chargeReference: "agent-model:1", at: yesterday });
    await chargeCredits(transaction, { ...order, amountCredits: 530, reference: "agent-model:2" });
  });
  for (let number = 0; number < SESSIONS; number++) {
    const at = new Date(now());
    const served = { servedDeciseconds: 600 };
    const session = await insertAvatarSession(database, newSession({ userId, agentCode, secretId, createdAt: at }));
    await moveAvatarSession(database, session.id, { from: "starting", to: "live", patch: { liveAt: at, ...served } });
    await database.transaction().execute(async (transaction) => {
      const credits = await settleSession(transaction, { session: { ...session, ...served }, account, links, at });
      const patch = { endReason: "ended_by_api" as const, endedAt: at, credits };
      await moveAvatarSession(transaction, session.id, { from: "live", to: "ended", patch });
    });
  }
}
