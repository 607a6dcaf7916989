// States of the page on which a person marks a face.
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { PageState, SheetService } from "./page-state.ts";

/** A drawn robot: its face is detected, but not with certainty. */
const PORTRAIT = new URL("../../models/gallery/bolt.png", import.meta.url);
/** Pupils and middle of the mouth in it, px. */
export const ROBOT_ANCHORS = [
  { x: 313, y: 348 },
  { x: 455, y: 348 },
  { x: 384, y: 493 },
] as const;
const ROBOT_SIZE_PX = 768;
const WAITING_MS = 60_000;
const POLL_MS = 200;

/** Link to the page of one agent for each service. */
const links = new Map<string, Promise<string>>();

export const MARK_STATES: readonly PageState[] = [
  {
    name: "mark, link expired",
    async open(page, service) {
      await page.goto((await linkOf(service)).replace(/#.*/, "#1.expired"));
      await page.locator("#broken").waitFor();
    },
  },
  { name: "mark, first tap", open: openLink },
  {
    name: "mark, last tap",
    async open(page, service) {
      await openLink(page, service);
      await tapFace(page, 2);
    },
  },
  {
    name: "mark, placed",
    async open(page, service) {
      await openLink(page, service);
      await tapFace(page);
      await page.locator('#preview[data-state="shown"]').waitFor();
    },
  },
  {
    name: "mark, an eye",
    async open(page, service) {
      await openLink(page, service);
      await tapFace(page);
      await page.locator("#parts").getByRole("button", { name: "Left eye" }).click();
      await page.locator('#preview[data-state="shown"]').waitFor();
    },
  },
  {
    name: "mark, a point wrong",
    async open(page, service) {
      await openLink(page, service);
      await tapFace(page);
      await page.locator("#parts").getByRole("button", { name: "Mouth" }).click();
      const corner = page.locator('[data-handle="mouth_left"]');
      await corner.focus();
      for (let i = 0; i < 40; i++) await corner.press("Shift+ArrowRight");
      await page.locator("#problem:not(:empty)").waitFor();
    },
  },
];

async function openLink(page: Page, service: SheetService): Promise<void> {
  await page.goto(await linkOf(service));
  await page.locator('#page[data-state="tapping"]').waitFor();
}

/** Taps pupils and mouth, or the first of them. */
export async function tapFace(page: Page, count: number = ROBOT_ANCHORS.length): Promise<void> {
  for (const anchor of ROBOT_ANCHORS.slice(0, count)) {
    const { x, y } = await placeOnScreen(page, anchor);
    await page.mouse.click(x, y);
  }
}

/** Where a point of the image lies in the window while the whole image is shown. */
export async function placeOnScreen(page: Page, point: { x: number; y: number }): Promise<{ x: number; y: number }> {
  const stage = page.locator("#stage");
  await stage.scrollIntoViewIfNeeded();
  const box = await stage.boundingBox();
  if (!box) throw new Error("the page shows no image");
  const scale = (Math.min(box.width, box.height) - 2) / ROBOT_SIZE_PX;
  return {
    x: box.x + box.width / 2 + (point.x - ROBOT_SIZE_PX / 2) * scale,
    y: box.y + box.height / 2 + (point.y - ROBOT_SIZE_PX / 2) * scale,
  };
}

function linkOf(service: SheetService): Promise<string> {
  const known = links.get(service.baseUrl) ?? createAgent(service);
  links.set(service.baseUrl, known);
  return known;
}

/** Creates an agent that waits for its marks. */
async function createAgent({ baseUrl, apiSecret }: SheetService): Promise<string> {
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(new URL(path, baseUrl), {
      method: body ? "POST" : "GET",
      headers: { "api-secret": apiSecret, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const image = (await readFile(PORTRAIT)).toString("base64");
  const { agent_id: code } = await call("/v1/agent/generate", { image, model: "expression-2", aspect_ratio: "1:1" });
  for (const untilMs = Date.now() + WAITING_MS; Date.now() < untilMs; await delay(POLL_MS)) {
    const { data } = await call(`/v1/agent/${code}/face-marks`);
    const { is_waiting: isWaiting, marking_url: url } = Object(data) as Record<string, unknown>;
    if (isWaiting === true) return String(url);
  }
  throw new Error("the agent does not wait for marks");
}
