// Voices: heard, searched, compared and designed.
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const voicesScenario: ConsoleScenario = {
  name: "a voice is heard in two clicks; voices are searched and compared, say one's own words, and are designed",
  async run({ t, api, account, open, assertFits }) {
    const code = await addAgent(api.services, { userId: account.userId, hasFace: true });
    await api.services.database
      .updateTable("agents")
      .set({ voice_id: "F1", name: "<b>Coral</b>" })
      .where("code", "=", code)
      .execute();
    const page = await open({ path: "/voices", width: 320, theme: "dark" });
    await page.getByRole("button", { name: "Hear Aria" }).click();
    await page.getByText("Aria speaks.").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download what Aria said" }).click();
    t.equal((await download).suggestedFilename(), "F1.wav");
    await page.getByRole("link", { name: "<b>Coral</b>" }).waitFor();
    await assertFits(page, "voices");

    await page.getByLabel("Search").fill("e");
    await page.getByLabel("Sounds like").selectOption("male");
    const found = await page.getByRole("button", { name: /^(Hear|Stop) / }).count();
    t.ok(found > 0 && found < 5, `${found} voices are like that`);
    await page.getByLabel("Search").fill("no name like this");
    await page.getByText("No voice is like that.").waitFor();
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Sounds like").selectOption("any");

    await page.getByLabel("Your words", { exact: true }).first().fill("Good day.");
    await page.getByLabel("Language of your words").selectOption("en");
    await page.getByLabel("Compare Sophie").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Compare Leo").check();
    await page.getByRole("button", { name: "Hear the 2 marked ones in turn" }).click();
    await page.getByRole("button", { name: "Download what Leo said" }).waitFor();
    await page.getByRole("button", { name: "Download what Sophie said" }).waitFor();

    const pitch = page.getByRole("slider", { name: "Lower – higher" });
    await pitch.focus();
    await page.keyboard.press("ArrowRight");
    t.equal(await pitch.inputValue(), "0.05");
    await page.getByRole("button", { name: "Hear it" }).press("Enter");
    await page.getByText(/^Its code: bv1_/).waitFor();
    await page.keyboard.press("Escape");
    await assertFits(page, "a designed voice");

    const wide = await open({ path: "/voices", language: "de" });
    await wide.getByRole("button", { name: "Aria anhören" }).waitFor();
    await assertFits(wide, "wide, in German");
  },
};
