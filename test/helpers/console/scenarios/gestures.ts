// Gestures: made with a price before, shown, and switched off.
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const gesturesScenario: ConsoleScenario = {
  name: "gestures are made with their price before, chosen and watched; a failure says why, and what it gave back",
  expected: /status of 404 .*\/files\/dynamics\//,
  async run({ t, api, account, open, assertFits }) {
    const { database } = api.services;
    const code = await addAgent(api.services, { userId: account.userId, hasFace: true });
    await database.updateTable("agents").set({ name: "Coral", language: "es" }).where("code", "=", code).execute();
    const page = await open({ path: "/gestures", width: 320, theme: "dark" });
    await page.getByRole("link", { name: "Coral" }).click();
    await page.getByRole("heading", { name: "Gestures of Coral" }).waitFor();
    await page.getByText("250 credits for all of them. You have 1,000 credits.").waitFor();
    await assertFits(page, "without gestures of its own");
    await page.getByLabel("Length of each").selectOption("3");
    await page.getByRole("button", { name: "Make gestures" }).press("Enter");
    await page.getByText("Gestures are being made.").waitFor();
    const row = database
      .updateTable("agent_dynamics")
      .where("agent_id", "=", database.selectFrom("agents").select("id").where("code", "=", code));
    await row.set({ progress: 0.5 }).execute();
    await page.getByText("50% is made").waitFor();
    await assertFits(page, "while they are made");
    await row.set({ status: "failed", error_message: "The <b>disk</b> is full." }).execute();
    await page.getByText("The <b>disk</b> is full. What was charged came back.").waitFor();

    const { run, revision } = await database
      .selectFrom("agent_dynamics")
      .select(["run", "revision"])
      .where("agent_id", "=", database.selectFrom("agents").select("id").where("code", "=", code))
      .executeTakeFirstOrThrow();
    const made = { made_run: run, made_revision: revision, made_seconds: 3 };
    await row.set({ status: "ready", error_message: null, ...made, actions: ["nod", "mini_wave_hello"] }).execute();
    await page.getByRole("radio", { name: "Greeting" }).click();
    await page.getByText(/It plays with a sentence that begins with: hola/).waitFor();
    t.match(await page.locator("video").getAttribute("src"), /mini_wave_hello/);
    await assertFits(page, "gestures");
    await page.getByRole("switch", { name: /Its own gestures play/ }).click();
    await page.getByText("Gestures are being made.").waitFor();
    const wide = await open({ path: `/gestures/${code}`, language: "de" });
    await wide.getByRole("heading", { name: "Gesten von Coral" }).waitFor();
    await assertFits(wide, "wide, in German");
  },
};
