// How an agent is shared, and the code for a site.
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const shareScenario: ConsoleScenario = {
  name: "an agent is made public, its code is previewed as it is copied, and links are made and withdrawn",
  expected: /400/,
  async run({ t, api, account, secret, open, assertFits }) {
    const { userId } = account;
    const code = await addAgent(api.services, { userId, name: "Nova", hasFace: true });
    const page = await open({ path: "/share", width: 320 });
    // Two clicks from the menu to the code.
    await page.getByRole("link", { name: "Nova" }).click();
    await page.getByText(`data-agent-id="${code}"`).waitFor();
    await page.getByText("This agent is not public").waitFor();
    await assertFits(page, "not public");

    const sites = page.getByLabel("Sites that may show it");
    await sites.fill("shop.example");
    await page.getByRole("switch", { name: /^Public/ }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/must be a site like/).waitFor();
    await sites.fill("https://SHOP.example/");
    await page.getByLabel("Minutes of one visitor in a day").fill("0");
    await page.getByText("A whole number from 1 to 1440.").waitFor();
    await page.getByLabel("Minutes of one visitor in a day").fill("15");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").first().waitFor();
    t.equal(await sites.inputValue(), "https://shop.example");
    const { body } = await api.call("GET", `/v1/agent/${code}/sharing`, { secret });
    t.match(body.data, { is_public: true, origins: ["https://shop.example"], visitor_minutes_per_day: 15 });
    await page.getByRole("link", { name: `${api.baseUrl}/share/${code}` }).waitFor();

    const preview = page.frameLocator(".preview-frame");
    await preview.getByRole("button", { name: /Chat/ }).waitFor();
    await page.getByLabel(/^Form/).selectOption("inline");
    await page.getByLabel("Colour of buttons").selectOption("green");
    await page.getByText(`agent-id="${code}" theme-color="green"`).waitFor();
    await preview.locator(`avatar-widget[agent-id="${code}"][theme-color="green"]`).waitFor();
    await page.getByLabel(/^Form/).selectOption("react");
    await page.getByText('themeColor="green"').waitFor();
    await assertFits(page, "public");

    await page.getByRole("button", { name: "Make a short link" }).click();
    const link = page.getByRole("link", { name: /\/a\// });
    await link.waitFor();
    // It is found again.
    await page.reload();
    await link.waitFor();
    await page.getByRole("button", { name: /^Withdraw/ }).click();
    await link.waitFor({ state: "detached" });
    await page.getByLabel("Browsers of visitors may render the face").selectOption("forbidden");
    await page.getByText("Saved.").waitFor();
    t.match((await api.call("GET", `/v1/agent/${code}`, { secret })).body, { data: { local_rendering: "forbidden" } });
    const spanish = await open({ path: `/share/${code}`, language: "es", theme: "dark" });
    await spanish.getByRole("heading", { name: "Vista previa" }).waitFor();
    await spanish.frameLocator(".preview-frame").locator("html[lang=es]").waitFor();
    await assertFits(spanish, "in Spanish");
  },
};
