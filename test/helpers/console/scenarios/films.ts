// Films: ordered with a price before, listed with their states, played and deleted.
import { grantCredits } from "../../../../api/accounts/credits/ledger.ts";
import { filmKey } from "../../../../api/videos/video.ts";
import { addAgent } from "../../service/add-agent.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const NAME = "<b>Captain</b> of the museum";

export const filmsScenario: ConsoleScenario = {
  name: "a film is ordered with its price before; films play in the list, say why they failed, and are deleted",
  credits: 1,
  // Without credits.
  expected: /status of 402 .*\/video\/generate/,
  async run({ t, api, account, secret, open, assertFits }) {
    const { database, storage, now } = api.services;
    const code = await addAgent(api.services, { userId: account.userId, hasFace: true });
    await database.updateTable("agents").set({ name: NAME }).where("code", "=", code).execute();
    const page = await open({ path: "/films", width: 320, theme: "dark" });
    await page.getByText("No film yet.").waitFor();
    await assertFits(page, "without a film");

    await page.getByRole("button", { name: /^Agent: / }).click();
    await page.getByRole("dialog").getByRole("button", { name: NAME }).click();
    await page.getByLabel("Text", { exact: true }).fill("Welcome to the museum.");
    await page.getByText(/credits for each started minute.*You have 1 credits/).waitFor();
    await page.getByLabel("Size and shape").selectOption("own");
    await page.getByLabel("Width × height").fill("1281x720");
    const submit = page.getByRole("button", { name: "Make the film" });
    t.equal(await submit.isDisabled(), true, "an odd width");
    await page.getByLabel("Width × height").fill("1280 × 720");
    await submit.press("Enter");
    await page.getByRole("alert").getByRole("link", { name: "Add credits" }).waitFor();
    await assertFits(page, "refused for want of credits");

    const at = new Date(now());
    const grant = {
      userId: account.userId,
      pool: "topup",
      amountCredits: 100,
      reason: "test",
      reference: "more",
      at,
    } as const;
    await grantCredits(database, grant);
    await page.getByText("You have 101 credits.").waitFor();
    await submit.click();
    await page.getByText("The film is being made.").waitFor();
    await page.getByText("0% is rendered").waitFor();
    const [film] = (await api.call("GET", "/v1/videos", { secret })).body.data;
    await database.updateTable("videos").set({ progress: 0.4 }).where("id", "=", film.job_id).execute();
    await page.getByText("40% is rendered").waitFor();
    await assertFits(page, "a film that is made");
    await storage.put(filmKey(film.job_id), Buffer.from("no film"));
    const ended = { ended_at: new Date(), input: null };
    const made = {
      ...ended,
      status: "completed",
      progress: 1,
      duration_ms: 1_500,
      width_px: 1280,
      height_px: 720,
      credits: 4,
    } as const;
    await database.updateTable("videos").set(made).where("id", "=", film.job_id).execute();
    await page.getByText("0:01 · 1280 × 720").waitFor();
    await page.getByRole("button", { name: /^Play the film of <b>Captain/ }).click();
    await page.getByText("It cannot be played here. Download it.").waitFor();

    const wide = await open({ path: "/films", language: "de" });
    await wide.getByText("0:01 · 1280 × 720").waitFor();
    const failure = { status: "failed", error_message: "The recording <i>cannot</i> be read." } as const;
    await database.updateTable("videos").set(failure).where("id", "=", film.job_id).execute();
    await wide.getByText("The recording <i>cannot</i> be read. Alle Credits kamen zurück.").waitFor();
    await assertFits(wide, "a film that failed, wide, in German");
    await wide.getByRole("button", { name: /^Film von .* löschen$/ }).click();
    await wide.getByRole("button", { name: "Löschen", exact: true }).click();
    await wide.getByText("Noch kein Film.").waitFor();
  },
};
