// What visitors of the start page do, for tests and for the sheet of screenshots.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { waitFor } from "../wait-for.ts";

const TIMEOUT_MS = 60_000;
/** Refusals are shown by browsers in their consoles, too; so are a lost connection, and a browser without a GPU. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of (401|403|404|409|422|503)|net::ERR_)/;
/** LiveKit's client says so when the room is deleted, with its agent, while a visitor is in it. */
const CLOSED = /data channel '\w+' closed unexpectedly/;

export interface GivenFile {
  name: string;
  type: string;
  bytes: Buffer;
}

/** A tab of a new visitor. `problems` collects errors of scripts, and violations of the page's policy. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })).newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const isExpected = EXPECTED.test(message.text()) || CLOSED.test(message.text());
    if (message.type() === "error" && !isExpected) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  return { page, problems };
}

/** Waits for a state. Throws at once if the page refuses instead. */
export async function untilState(page: Page, name: string): Promise<void> {
  const home = page.locator("#create");
  await waitFor(
    async () => {
      const state = await home.getAttribute("data-state");
      if (state === "refused" && name !== "refused") {
        throw new Error(`refused: ${await page.locator("#refusal").textContent()}`);
      }
      return state === name;
    },
    `the page is ${name}`,
    TIMEOUT_MS,
  );
}

/** Waits until the face on the stage is alive: its frames change. */
export async function untilAlive(page: Page): Promise<void> {
  await page.locator('#stage .stage[data-face="alive"]').waitFor({ timeout: TIMEOUT_MS });
  const first = await page.evaluate(FRAME);
  await waitFor(async () => (await page.evaluate(FRAME)) !== first, "another frame");
}

/** Drops a file in the middle of the page, or pastes one. */
export async function give(page: Page, way: "drop" | "paste", { name, type, bytes }: GivenFile): Promise<void> {
  // The bytes go through a file input: an argument of tens of megabytes would be slow.
  await page.evaluate(
    `document.body.insertAdjacentHTML("beforeend", '<input type="file" id="given" hidden aria-label="given" />')`,
  );
  await page.locator("#given").setInputFiles({ name, mimeType: type, buffer: bytes });
  await page.evaluate(`(() => {
    const input = document.getElementById("given");
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(input.files[0]);
    input.remove();
    const options = { bubbles: true, cancelable: true };
    document.body.dispatchEvent(
      ${JSON.stringify(way)} === "drop"
        ? new DragEvent("drop", { ...options, dataTransfer })
        : new ClipboardEvent("paste", { ...options, clipboardData: dataTransfer }),
    );
  })()`);
}

/** Presses a voice and the button that sends the picture. */
export async function makeItTalk(page: Page): Promise<void> {
  await page.locator("#voices label").first().click();
  await page.locator("#make").click();
}

/** A digest of the frame that is shown. */
const FRAME = `(() => {
  const canvas = document.querySelector("#stage canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let digest = 0;
  for (let i = 0; i < data.length; i += 101) digest = (digest * 31 + data[i]) | 0;
  return digest;
})()`;

/** Keeps each step that the page shows in `window.steps`. */
export const OBSERVE_STEPS = `
  window.steps = [];
  new MutationObserver(() => {
    const name = document.querySelector("#steps [aria-current]")?.textContent;
    if (name && name !== window.steps.at(-1)) window.steps.push(name);
  }).observe(document.getElementById("steps"), { attributes: true, subtree: true });
`;
