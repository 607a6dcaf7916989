// States of the console.
import type { Page } from "playwright-core";
import type { PageState } from "./page-state.ts";

async function signIn(page: Page, apiSecret: string): Promise<void> {
  await page.getByLabel("API secret").fill(apiSecret);
  await page.getByLabel("API secret").press("Enter");
}

export const CONSOLE_STATES: readonly PageState[] = [
  {
    name: "console, signed out",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/console`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  },
  {
    name: "console, a link that was used",
    async open(page, { baseUrl }) {
      await page.goto(`${baseUrl}/console/sign-in#link=none`);
      await page.getByText("This link does not work any more").waitFor();
    },
  },
  {
    name: "console, account",
    async open(page, { baseUrl, apiSecret }) {
      await page.goto(`${baseUrl}/console/account`);
      await signIn(page, apiSecret);
      await page.getByText("This session.").waitFor();
    },
  },
  {
    // The demo's agent.
    name: "console, usage: spent",
    async open(page, { baseUrl, apiSecret }) {
      await page.goto(`${baseUrl}/console/usage`);
      await signIn(page, apiSecret);
      await page.locator(".chart canvas").waitFor();
      await page.getByText("Grant").waitFor();
    },
  },
  {
    name: "console, usage: refused and waiting",
    async open(page, { baseUrl, apiSecret }) {
      const error = { code: "FORBIDDEN", message: "Only the owner may see this.", httpStatus: 403 };
      await page.route("**/api/v1/ledger?*", (route) => route.fulfill({ status: 403, json: { error } }));
      await page.route("**/api/v2/credit-summaries", () => new Promise(() => undefined));
      await page.goto(`${baseUrl}/console/usage`);
      await signIn(page, apiSecret);
      await page.getByText(error.message).first().waitFor();
    },
  },
  {
    name: "console, operator",
    async open(page, { baseUrl, apiSecret }) {
      await page.goto(`${baseUrl}/console/operator`);
      await signIn(page, apiSecret);
      await page.getByRole("heading", { name: "Queue" }).waitFor();
    },
  },
  {
    name: "console, operator: offline",
    async open(page, { baseUrl, apiSecret }) {
      await page.route("**/console/overview", (route) => route.abort());
      await page.goto(`${baseUrl}/console/operator`);
      await signIn(page, apiSecret);
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "console, a computer asks",
    async open(page, { baseUrl, apiSecret }) {
      const body = JSON.stringify({ hostname: "desk" });
      const headers = { "content-type": "application/json" };
      const begun = await fetch(`${baseUrl}/v1/cli/device`, { method: "POST", headers, body });
      const { user_code } = (await begun.json()) as { user_code: string };
      await page.goto(`${baseUrl}/device?code=${user_code}`);
      await signIn(page, apiSecret);
      await page.getByRole("button", { name: "Confirm" }).waitFor();
    },
  },
];
