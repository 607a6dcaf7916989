// States of the page that renders a face in the tab.
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import type { PageState, SheetService } from "./page-state.ts";

const GALLERY = join(import.meta.dirname, "..", "..", "models", "gallery");
const PERSON_PX = 512;

/** A photograph with two people, side by side. */
async function twoPeople(): Promise<Buffer> {
  const people = await Promise.all(
    ["mei", "kenji"].map((name) =>
      sharp(join(GALLERY, `${name}.png`))
        .resize(PERSON_PX, PERSON_PX)
        .toBuffer(),
    ),
  );
  return sharp({ create: { width: 2 * PERSON_PX, height: PERSON_PX, channels: 3, background: "#ddd" } })
    .composite(people.map((input, k) => ({ input, left: k * PERSON_PX, top: 0 })))
    .jpeg()
    .toBuffer();
}

/** A face moves: the page is as it opens. */
async function openLocal(page: Page, { baseUrl, apiSecret }: SheetService): Promise<void> {
  // As a visitor who gave a secret on the start page.
  await page.addInitScript((secret) => {
    try {
      sessionStorage.setItem("api-secret", secret);
    } catch {
      // Storage is denied: then the visitor has none.
    }
  }, apiSecret);
  await page.goto(`${baseUrl}/local`);
  await page.locator('.stage[data-face="alive"]').waitFor();
}

/** A message of the stage, by its title. */
async function says(page: Page, title: RegExp): Promise<void> {
  await page.locator(".stage-notice-title", { hasText: title }).waitFor();
}

async function choose(page: Page, input: string, name: string, content: string | Buffer): Promise<void> {
  await page.locator(input).setInputFiles({ name, mimeType: "", buffer: Buffer.from(content as string) });
}

/** A file that the page refuses. */
function refused(
  name: string,
  { input, file, content, title }: { input: string; file: string; content: string; title: RegExp },
): PageState {
  return {
    name: `local, ${name}`,
    async open(page, service) {
      await openLocal(page, service);
      await choose(page, input, file, content);
      await says(page, title);
    },
  };
}

export const LOCAL_STATES: readonly PageState[] = [
  { name: "local, alive", open: openLocal },
  {
    name: "local, speaking",
    async open(page, service) {
      await openLocal(page, service);
      await page.locator("#hear").click();
      await page.locator('.stage[data-state="speaking"]').waitFor();
    },
  },
  {
    name: "local, microphone",
    async open(page, service) {
      await openLocal(page, service);
      await page.locator("#microphone").click();
      await page.locator('.stage[data-state="listening"]').waitFor();
    },
  },
  {
    name: "local, film planned",
    async open(page, service) {
      await openLocal(page, service);
      await page.locator("#film").click();
      await page.locator("#work-start:visible").waitFor();
    },
  },
  refused("broken avatar file", {
    input: "#bundle-file",
    file: "broken.imx",
    content: "IMX1 and no more",
    title: /broken\.imx cannot be opened/,
  }),
  {
    name: "local, two faces in the photograph",
    async open(page, service) {
      await openLocal(page, service);
      await choose(page, "#picture-file", "friends.jpg", await twoPeople());
      await page.locator(".faces button").first().waitFor();
    },
  },
  refused("broken photograph", {
    input: "#picture-file",
    file: "broken.jpg",
    content: "no picture",
    title: /picture cannot be used/,
  }),
  refused("broken audio file", {
    input: "#audio-file",
    file: "broken.wav",
    content: "RIFF and no more",
    title: /broken\.wav cannot be played/,
  }),
  {
    name: "local, microphone refused",
    async open(page, service) {
      await page.addInitScript(`navigator.mediaDevices.getUserMedia = () =>
        Promise.reject(new DOMException("refused", "NotAllowedError"))`);
      await openLocal(page, service);
      await page.locator("#microphone").click();
      await says(page, /microphone is off/);
    },
  },
  {
    name: "local, WebAssembly blocked",
    async open(page, { baseUrl }) {
      await page.addInitScript("delete globalThis.WebAssembly");
      await page.goto(`${baseUrl}/local`);
      await says(page, /cannot be opened/);
    },
  },
  {
    name: "local, service gone",
    async open(page, { baseUrl }) {
      await page.route("**/samples", (route) => route.abort());
      await page.goto(`${baseUrl}/local`);
      await says(page, /sample faces cannot be loaded/);
    },
  },
];
