// States of the start page.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { give, makeItTalk, untilAlive, untilState } from "../../test/helpers/pages/start-page.ts";
import type { PageState, SheetService } from "./page-state.ts";

const PORTRAIT = join(import.meta.dirname, "../../models/portraits/hana.png");
const BUSY = { error: { code: "SERVICE_UNAVAILABLE", message: "No avatar worker has room. Try again in a moment." } };

async function open(page: Page, { baseUrl }: SheetService): Promise<void> {
  await page.goto(`${baseUrl}/`);
  await untilAlive(page);
}

async function drop(page: Page, bytes: Buffer): Promise<void> {
  await give(page, "drop", { name: "portrait.png", type: "image/png", bytes });
}

async function choose(page: Page, service: SheetService): Promise<void> {
  await open(page, service);
  await drop(page, await readFile(PORTRAIT));
  await untilState(page, "chosen");
  await untilAlive(page);
}

async function framed(page: Page, picture: Promise<Buffer>): Promise<void> {
  await drop(page, await picture);
  await untilState(page, "framing");
}

export const HOME_STATES: readonly PageState[] = [
  { name: "start page", open },
  {
    name: "start page, in German",
    async open(page, service) {
      await page.addInitScript(`Object.defineProperty(navigator, "languages", { value: ["de-DE"] })`);
      await choose(page, service);
    },
  },
  {
    name: "start page, not a picture",
    async open(page, service) {
      await open(page, service);
      await give(page, "drop", { name: "letter.pdf", type: "application/pdf", bytes: Buffer.from("%PDF-1.7") });
      await page.locator("#picture-wrong:not(:empty)").waitFor();
    },
  },
  {
    name: "start page, camera",
    async open(page, service) {
      await page.addInitScript(`navigator.mediaDevices.getUserMedia =
        () => Promise.reject(new DOMException("none", "NotFoundError"));`);
      await open(page, service);
      await page.locator("#camera").click();
      await page.locator("#camera-message", { hasText: "No camera" }).waitFor();
    },
  },
  { name: "start page, a face of one's own", open: choose },
  {
    name: "start page, two faces",
    async open(page, service) {
      await open(page, service);
      const face = await sharp(PORTRAIT).resize(512).toBuffer();
      const grey = { width: 1024, height: 512, channels: 3, background: "#808080" } as const;
      const faces = [0, 512].map((left) => ({ input: face, left, top: 0 }));
      await framed(page, sharp({ create: grey }).composite(faces).png().toBuffer());
    },
  },
  {
    name: "start page, no face",
    async open(page, service) {
      await open(page, service);
      const grey = { width: 640, height: 480, channels: 3, background: "#8d7a66" } as const;
      await framed(page, sharp({ create: grey }).png().toBuffer());
    },
  },
  {
    name: "start page, making",
    async open(page, service) {
      await choose(page, service);
      await page.route("**/v1/agent/generate", () => new Promise(() => undefined));
      await makeItTalk(page);
      await untilState(page, "making");
    },
  },
  {
    name: "start page, busy",
    async open(page, service) {
      await choose(page, service);
      const headers = { "retry-after": "30" };
      await page.route("**/v1/agent/generate", (route) => route.fulfill({ status: 503, headers, json: BUSY }));
      await makeItTalk(page);
      await untilState(page, "refused");
    },
  },
  {
    name: "start page, access",
    async open(page, service) {
      await page.route("**/home/access", (route) =>
        route.fulfill({ status: 403, json: { error: { code: "FORBIDDEN", message: "Not here." } } }),
      );
      await choose(page, service);
      await makeItTalk(page);
      await untilState(page, "access");
    },
  },
  {
    name: "start page, talking",
    async open(page, service) {
      await choose(page, service);
      await makeItTalk(page);
      await untilState(page, "talking");
      await page.locator("#next").waitFor({ timeout: 60_000 });
    },
  },
];
