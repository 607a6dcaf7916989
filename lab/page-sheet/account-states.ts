// States of the pages that refusals link to.
import type { PageState } from "./page-state.ts";

export const ACCOUNT_STATES: readonly PageState[] = [
  {
    name: "account, plan",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/account/plan`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
  },
];
