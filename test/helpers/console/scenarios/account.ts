// The frame around the views, and the account.
import { signIn } from "../../service/sign-in.ts";
import { waitFor } from "../../wait-for.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const accountScenario: ConsoleScenario = {
  name: "the account, in three languages, and an address where there is nothing",
  async run({ t, api, account, open, assertFits }) {
    const page = await open({ path: "", width: 320, theme: "dark", language: "de-AT" });
    await page.goto(page.url().replace(/console.*/, "console/account"));
    await page.getByRole("heading", { name: "Konto", level: 1 }).waitFor();
    await assertFits(page, "in German");
    await page.getByLabel("Sprache").selectOption("es");
    await page.getByText(`Ha iniciado sesión como ${account.email}.`).waitFor();
    await assertFits(page, "in Spanish");
    t.equal(await page.locator("html").getAttribute("lang"), "es");
    await page.reload();
    await page.getByRole("heading", { name: "Cuenta", level: 1 }).waitFor();

    const wide = await open({ path: "/operator" });
    await wide.getByText("There is nothing at this address.").waitFor();
    await wide.getByRole("link", { name: "Account" }).focus();
    await wide.keyboard.press("Enter");
    await wide.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    t.ok(await wide.evaluate(`document.activeElement.id === "view"`), "the view that was chosen has the focus");
    await assertFits(wide, "wide");

    // Its session must not be the one that is ended.
    await page.close();
    const ends = wide.getByRole("button", { name: /^End the session/ });
    const before = await ends.count();
    await signIn(api, account.userId);
    await waitFor(async () => (await ends.count()) > before, "the session of another browser");
    await ends.first().focus();
    await wide.keyboard.press("Enter");
    await waitFor(async () => (await ends.count()) === before, "the end of a session");
    await waitFor(() => wide.evaluate(`document.activeElement !== document.body`), "a focus that is not lost");
  },
};
