// The view Create: the start page's flow, with the session's access.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { give, untilAlive, untilState } from "../../pages/start-page.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const ASTRONAUT = join(import.meta.dirname, "..", "..", "..", "fixtures", "portraits", "astronaut.png");

/** There is no LiveKit server here, and files of sample faces are made when they are first fetched. */
const EXPECTED = /status of (503|404).+\/(embed\/session|samples\/[\w-]+\/imx\S*)$/;

export const createScenario: ConsoleScenario = {
  name: "a picture is priced, ordered by keyboard, and its order found again after another view",
  expected: EXPECTED,
  async run({ t, api, secret, open, assertFits }) {
    const balance = async () => (await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance;
    const page = await open({ path: "", width: 320, theme: "dark" });
    await page.locator("#samples button").nth(5).waitFor();
    t.match(page.url(), /\/console\/create$/, "it is the first view");
    await assertFits(page, "empty");
    const loaded = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).join()");
    t.notMatch(loaded, /open-tab-face/, "the sample face is a picture at first");
    const asked = page.waitForRequest(/\/samples\/[\w-]+\/imx/);
    await page.keyboard.press("Shift");
    await asked;
    await give(page, "drop", { name: "a.png", type: "image/png", bytes: await readFile(ASTRONAUT) });
    await untilState(page, "chosen");
    await untilAlive(page);
    const price = await page.locator("#price").textContent();
    t.equal(price, "Making it costs 500 credits. Your balance: 1,000 credits.");
    await assertFits(page, "chosen");
    const make = await page.locator("#make").boundingBox();
    const menu = await page.locator(".menu-bar").boundingBox();
    t.ok((make?.y ?? 600) + (make?.height ?? 0) <= (menu?.y ?? 0), "the button stands above the menu");

    // After another view, in another language, the same picture and choices wait.
    await page.locator("#voices input").last().check();
    const voice = await page.locator("#voices input:checked").inputValue();
    await page.locator("#name").fill("Neil");
    await chooseLanguage(page, "de");
    await untilState(page, "chosen");
    await untilAlive(page);
    await page.locator("#price", { hasText: "Das Erstellen kostet 500 Credits" }).waitFor();
    t.equal(await page.locator("#voices input:checked").inputValue(), voice, "the voice is chosen still");
    t.equal(await page.locator("#name").inputValue(), "Neil");
    await chooseLanguage(page, "en");
    await untilState(page, "chosen");

    await page.locator("#voices input").first().focus();
    await page.keyboard.press("Space");
    await page.locator("#make").focus();
    await page.keyboard.press("Enter");
    await page.locator("#steps [aria-current]", { hasText: "Finding the face" }).waitFor();
    const order = /#agent=([\w-]+)$/.exec(page.url())?.[1];
    t.ok(order, "the address names the order");
    await assertFits(page, "making");
    t.equal(await balance(), 500);

    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    t.equal(await page.locator("#create").count(), 0);
    await waitFor(() => page.workers().length === 0, "the end of all workers");
    await page.getByRole("link", { name: "Create" }).click();
    await page.locator("#steps [aria-current]", { hasText: "Finding the face" }).waitFor();
    t.match(page.url(), `#agent=${order}`, "the order is found again");
    await page.locator("#cancel").click();
    await untilState(page, "empty");
    await waitFor(async () => (await balance()) === 1000, "the refund of an order that was cancelled");

    const german = await open({ path: "/create", language: "de" });
    await german.getByRole("button", { name: "Gesicht beschreiben" }).click();
    await german.getByRole("heading", { name: "Beschreiben Sie, wer es sein soll" }).waitFor();
    t.match(await german.locator("#described-price").textContent(), /kostet 500 Credits. Ihr Guthaben: 1.000 Credits/);
    await assertFits(german, "describing, in German");
    await german.locator("#prompt").fill("Eine Museumsführerin");
    // The order is taken, and its answer is still on the way when it is cancelled.
    let deliver = () => {};
    const cancelled = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    await german.route(/\/v1\/agent\/generate$/, async (route) => {
      const response = await route.fetch();
      await cancelled;
      await route.fulfill({ response });
    });
    await german.getByRole("button", { name: "Erstellen" }).click();
    await german.getByText("Beschreibung senden").waitFor();
    await waitFor(async () => (await balance()) === 500, "an order that was taken");
    await german.getByRole("button", { name: "Abbrechen" }).click();
    await untilState(german, "describing");
    deliver();
    t.equal(await german.locator("#prompt").inputValue(), "Eine Museumsführerin", "the words are kept");
    await waitFor(async () => (await balance()) === 1000, "the refund");
  },
};

/** In the account, and back. */
async function chooseLanguage(page: Page, language: string): Promise<void> {
  await page.locator('.menu-bar a[href$="/account"]').click();
  await page.getByLabel(/Language|Sprache/).selectOption(language);
  await page.locator(`html[lang="${language}"]`).waitFor();
  await page.locator('.menu-bar a[href$="/create"]').click();
}
