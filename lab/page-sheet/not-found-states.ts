// States of the page that a person sees where the service refuses an address.
import type { PageState } from "./page-state.ts";

export const NOT_FOUND_STATES: readonly PageState[] = [
  {
    name: "not found, with a page that was meant",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/relatime`);
      await page.locator("#meant").waitFor();
    },
  },
  {
    name: "not found, a short link that has ended",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/a/ended`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
  },
];
