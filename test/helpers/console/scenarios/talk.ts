// Talking with an agent. A conversation with a real avatar is in test/integration.
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const talkScenario: ConsoleScenario = {
  name: "who talks without credit is told so, with the way to get some",
  credits: 0,
  expected: /402/,
  async run({ t, api, account, open, assertFits }) {
    const { userId } = account;
    // Its sessions are not admitted without credits.
    await api.services.database.updateTable("accounts").set({ plan: "free" }).where("user_id", "=", userId).execute();
    await addAgent(api.services, { userId, name: '<b>"Nova"</b>', hasFace: true });
    const page = await open({ path: "/talk", width: 320, theme: "dark" });
    await assertFits(page, "the choice");
    // Two clicks from the menu.
    await page.getByRole("link", { name: '<b>"Nova"</b>' }).click();
    const ended = page.getByText("No minutes are left to talk with. Add credits to go on.");
    await ended.waitFor();
    t.match(await page.getByRole("link", { name: "Add credits" }).getAttribute("href"), /^https?:/);
    t.equal(await page.locator("iframe").count(), 0, "the visitor's words are not shown to the owner");
    await assertFits(page, "without credit");
    await page.getByRole("button", { name: "Talk again" }).focus();
    await page.keyboard.press("Enter");
    await ended.waitFor({ state: "detached" });
    await ended.waitFor();
    const german = await open({ path: page.url().replace(/.*\/console/, ""), language: "de" });
    await german.getByText("Es sind keine Minuten mehr übrig.").waitFor();
    await assertFits(german, "in German");
  },
};
