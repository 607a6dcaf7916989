// The agents of an account, and one of them.
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

/** A name that is markup, and one that is long, has no space, and is written from right to left. */
const HOSTILE = ['<img src=x onerror="alert(1)">', "ש".repeat(60)];

const listScenario: ConsoleScenario = {
  name: "agents are listed with their pictures, searched and filtered, also on a phone",
  async run({ t, api, account, open, assertFits }) {
    const empty = await open({ path: "/agents", width: 320 });
    await empty.getByText("You have no agents yet.").waitFor();
    await empty.getByText("The same by a program").click();
    await empty.getByText("/v1/agent/generate").waitFor();
    await assertFits(empty, "empty");

    const { userId } = account;
    for (const name of ["Nova", "Otto", ...HOSTILE]) {
      await addAgent(api.services, { userId, name, hasFace: true });
    }
    for (const theme of ["light", "dark"] as const) {
      const phone = await open({ path: "/agents", width: 320, theme });
      for (const name of HOSTILE) await phone.getByText(name).waitFor();
      await assertFits(phone, theme);
    }

    const page = await open({ path: "/agents" });
    await page.getByText("4 agents").waitFor();
    await page.waitForFunction(`[...document.images].some(({ naturalWidth }) => naturalWidth > 50)`);
    await page.getByLabel("Search").fill("nov");
    await page.getByText("1 agent", { exact: true }).waitFor();
    t.equal(await page.getByRole("link", { name: "Otto" }).count(), 0);
    await page.getByLabel("Status").selectOption({ label: "Failed" });
    await page.getByText("0 agents").waitFor();
    await page.getByLabel("Status").selectOption({ label: "Ready" });
    await page.getByRole("link", { name: "Nova" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Nova", level: 1 }).waitFor();
    await assertFits(page, "wide");
  },
};

export const agentsScenarios: readonly ConsoleScenario[] = [listScenario];
