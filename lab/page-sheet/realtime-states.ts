// States of the realtime page.
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

async function openWithFace(page: Page, { baseUrl }: SheetService): Promise<void> {
  await page.goto(`${baseUrl}/realtime`);
  await page.locator(".stage[data-face=alive]").waitFor();
}

export const REALTIME_STATES: readonly PageState[] = [
  { name: "realtime, before the call", open: openWithFace },
  {
    name: "realtime, in a call",
    async open(page, service) {
      await openWithFace(page, service);
      await page.locator("#talk").click();
      await page.locator("#text").fill("What can you do?");
      await page.locator("#send").click();
      await page.locator("#turns li").first().waitFor();
      await page.locator(".line[data-speaker=model]").first().waitFor();
    },
  },
  {
    name: "realtime, microphone refused",
    async open(page, service) {
      await page.addInitScript(
        "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
      );
      await openWithFace(page, service);
      await page.locator("#talk").click();
      await page.locator("#wrong", { hasText: "not allowed" }).waitFor();
    },
  },
  {
    name: "realtime, without a connection",
    async open(page, service) {
      await openWithFace(page, service);
      await page.context().setOffline(true);
      await page.locator("#talk").click();
      await page.locator("#wrong", { hasText: "cannot be reached" }).waitFor();
    },
  },
];
