// How the console hears of changes: by one stream for all tabs, or by asking. The account's sessions stand for all that
// views show.
import { signIn } from "../../service/sign-in.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const EVENTS = "**/console/api/events*";

export const changesScenario: ConsoleScenario = {
  name: "a change shows in every open tab, which share a stream; without one the console asks every 5 s",
  async run({ t, api, account, open, assertFits }) {
    const page = await open({ path: "/account" });
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("status").filter({ hasText: "Live" }).waitFor();
    const { metrics } = api.services;
    t.match(await metrics.registry.metrics(), /^avatar_console_streams 1$/m, "two tabs, one stream");
    const rows = (tab: typeof page) => tab.getByRole("button", { name: /^End the session/ });
    t.equal(await rows(page).count(), 0);
    await signIn(api, account.userId);
    await rows(page).first().waitFor();
    await rows(other).first().waitFor();
    await page.close();
    await signIn(api, account.userId);
    await rows(other).nth(1).waitFor();
    t.match(await metrics.registry.metrics(), /^avatar_console_streams 1$/m, "the tab that is left has taken it over");

    const asking = await open({ path: "", width: 320 });
    // As behind a proxy that keeps answers back: no event ever comes.
    await asking.route(EVENTS, () => undefined);
    await asking.goto(`${api.baseUrl}/console/account`);
    await asking.getByRole("status").filter({ hasText: "Checking every 5 s" }).waitFor();
    await assertFits(asking, "without a stream");
    const before = await rows(asking).count();
    await signIn(api, account.userId);
    await rows(asking).nth(before).waitFor();
  },
};
