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

const pageScenario: ConsoleScenario = {
  name: "an agent is changed by keyboard, keeps what is not saved, hears its voice, and is deleted by its code",
  // The change may arrive before the answer to the deletion: then the page asks for its agent once more.
  expected: /status of 404 .*\/console\/api\/v1\/agent\//,
  async run({ t, api, account, secret, open, assertFits }) {
    const { userId } = account;
    const code = await addAgent(api.services, { userId, name: "Nova", hasFace: true });
    const readAgent = async () => (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data;

    const page = await open({ path: `/agents/${code}` });
    await page.getByRole("heading", { name: "Nova", level: 1 }).waitFor();
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Otto");
    await page.getByText("Not saved yet: Name").waitFor();
    await page.getByRole("radio", { name: /Theo/ }).focus();
    const heard = page.waitForResponse(/\/v1\/voices\/M3\/preview$/);
    await page.keyboard.press("Space");
    t.ok((await heard).ok(), "a voice is heard when it is chosen");
    await page.getByText("Not saved yet: Name, Voice").waitFor();
    // Another view and back: it is still there.
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    await page.goBack();
    await page.getByText("Not saved yet: Name, Voice").waitFor();
    t.equal(await name.inputValue(), "Otto");
    await assertFits(page, "changed");
    await name.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Saved. It holds from the next session on.").waitFor();
    t.equal(await page.evaluate("document.activeElement.getAttribute('role')"), "status", "the focus is not lost");
    t.match(await readAgent(), { name: "Otto", voice_id: "M3", system_prompt: "You are a test." });
    await page.getByRole("heading", { name: "Otto", level: 1 }).waitFor();

    await page.getByLabel("System prompt").fill(" ");
    await page.getByText("The system prompt must not be empty.").waitFor();
    t.ok(await page.getByRole("button", { name: "Save the changes" }).isDisabled());
    await page.getByRole("button", { name: "Discard them" }).click();
    t.equal(await page.getByLabel("System prompt").inputValue(), "You are a test.");

    await page.getByRole("button", { name: "Add a server" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Mine");
    await dialog.getByLabel("Base URL").fill("https://llm.example.test/v1");
    await dialog.getByLabel("API key").fill("sk-very-secret-key");
    await dialog.getByRole("button", { name: "Add a server" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: /^Language model/ }).selectOption({ label: "Mine" });
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByText("Saved. It holds from the next session on.").waitFor();
    t.match(await readAgent(), { providers: { llm: { mode: "custom", available: true } } });
    t.notMatch(await page.content(), "sk-very-secret-key", "a key does not stay in the page");

    await page.getByRole("button", { name: "expression-2: 2,000 credits" }).click();
    await dialog.getByText("It costs 2,000 credits.").waitFor();
    await dialog.getByText("You have 1,000 credits.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download .imx: essence-2" }).click();
    t.match((await download).suggestedFilename(), /\.imx$/);

    await page.getByRole("button", { name: "Delete the agent" }).click();
    await dialog.getByLabel(`Type ${code} to confirm`).fill(code);
    await page.keyboard.press("Enter");
    await page.getByText("You have no agents yet.").waitFor();
    t.equal((await readAgent())?.code, undefined);

    for (const language of ["de", "es"]) {
      const other = await addAgent(api.services, { userId, name: HOSTILE[1], hasFace: true });
      const phone = await open({ path: `/agents/${other}`, width: 320, theme: "dark", language });
      await phone.getByRole("heading", { name: HOSTILE[1], level: 1 }).waitFor();
      await phone.getByRole("radio", { name: /Theo/ }).waitFor();
      await assertFits(phone, language);
    }
  },
};

const creationScenario: ConsoleScenario = {
  name: "a creation shows its progress by itself, leads to the marks, and says why it failed",
  async run({ t, api, account, open, assertFits }) {
    const { database } = api.services;
    const code = await addAgent(api.services, { userId: account.userId, name: "Nova", families: [] });
    const set = (columns: object) => database.updateTable("agents").set(columns).where("code", "=", code).execute();
    await set({
      status: "generating",
      progress: 0.2,
      progress_msg: "Painting the portrait",
      current_step: "lip_sync",
    });
    const list = await open({ path: "/agents", width: 320 });
    await list.getByRole("link", { name: "Nova" }).getByText("Being made").waitFor();
    await list.getByLabel("20% done").waitFor();
    const page = await open({ path: `/agents/${code}` });
    await page.getByRole("status").filter({ hasText: "Painting the portrait" }).waitFor();
    await page.getByLabel("20% done").waitFor();
    await set({ progress: 0.7 });
    await page.getByLabel("70% done").waitFor();
    await list.getByLabel("70% done").waitFor();
    await set({ current_step: "awaiting_face_marking", portrait_width_px: 512, portrait_height_px: 512 });
    const marks = page.getByRole("link", { name: "Place the marks" });
    await marks.waitFor();
    t.match(await marks.getAttribute("href"), new RegExp(`^${api.baseUrl}/`));
    await assertFits(page, "marks");
    await set({ status: "failed", current_step: "lip_sync", error_message: "Failed at lip sync: no face <b>" });
    await page.getByText("Failed at lip sync: no face <b>").waitFor();
    await page.getByText("The credits were given back.").waitFor();
    await assertFits(page, "failed");
  },
};

export const agentsScenarios: readonly ConsoleScenario[] = [listScenario, pageScenario, creationScenario];
