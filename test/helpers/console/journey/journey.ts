// The journey of a newcomer: from the printed link and a picture to a conversation, its cost, its end and its
// transcript.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import type { Test } from "tap";
import { OBSERVE_STEPS, untilAlive, untilState } from "../../pages/start-page.ts";
import type { TestStack } from "../../service/with-stack.ts";
import { waitFor } from "../../wait-for.ts";
import { chooseFile, type Hand, openView } from "./hand.ts";
import { watchTab } from "./watch-tab.ts";
import type { Way } from "./way.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");
const ASTRONAUT = join(ROOT, "test", "fixtures", "portraits", "astronaut.png");
const PICTURES = join(ROOT, "test", ".artifacts", "journey");
const QUESTION = "What does it cost?";
/** The conversation's view asks for its turns every few seconds: also when the other tab ends the session, and when the
 *  session's process is too busy to answer in time. */
const TURNS_REFUSED = /status of (409|503) .*\/turns\?/;
/** Environment variable: a picture of each step is kept, by day and by night. */
const isWriting = process.env.AVATAR_WRITE_PICTURES === "1";

interface Traveller {
  t: Test;
  stack: TestStack;
  way: Way;
  /** Of the agent. */
  name: string;
  page: Page;
  hand: Hand;
  /** Fails if the page or a frame of it is wider than its window, or if the focus is lost. */
  look(step: string): Promise<void>;
}

export async function makeJourney(t: Test, stack: TestStack, browser: Browser, way: Way): Promise<void> {
  const context = await browser.newContext({ locale: "en", ...way.browser });
  const problems: string[] = [];
  const open = async () => {
    const page = await context.newPage();
    watchTab(page, stack.baseUrl, problems);
    return { page, hand: way.handOf(page) };
  };
  try {
    const { page, hand } = await open();
    const name = `Eileen ${way.name}`;
    const lookerOf =
      (tab: Page, { look }: typeof hand) =>
      async (step: string) => {
        await look?.(step);
        await lookAt(t, way, step, tab);
      };
    const traveller: Traveller = { t, stack, way, name, page, hand, look: lookerOf(page, hand) };
    await signIn(traveller);
    await makeFace(traveller);
    await order(traveller);
    await talk(traveller);
    // Leaving the conversation would end it.
    const second = await open();
    await second.page.goto(`${stack.baseUrl}/console/sessions`);
    await readCostAndEnd({ ...traveller, ...second, look: lookerOf(second.page, second.hand) }, traveller);
    t.same([...(hand.problems ?? []), ...(second.hand.problems ?? [])], [], "the focus is seen everywhere");
    const unexpected = problems.filter((problem) => !TURNS_REFUSED.test(problem));
    t.same(unexpected, [], "no error, no violation of the policy, no foreign request");
  } finally {
    await context.close();
  }
}

async function signIn({ t, stack, way, page }: Traveller): Promise<void> {
  await page.goto(await stack.signInLink());
  await untilState(page, "empty");
  t.equal(page.url(), `${stack.baseUrl}/console/create`, "Create comes first, and the link is in no address");
  await page.locator("#samples button").nth(5).waitFor();
  await lookAt(t, way, "1 signed in", page);
}

async function makeFace({ t, page, hand, look }: Traveller): Promise<void> {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") sent.push(`${request.method()} ${request.url()}`);
  });
  await chooseFile(page, hand, page.locator("#choose"), ASTRONAUT);
  await untilState(page, "chosen");
  await untilAlive(page);
  await look("2 a face");
  await hand.press(page.locator("#voices label").first());
  await page.locator('#stage .stage[data-state="speaking"]').waitFor();
  t.same(sent, [], "it moves and says a sentence before anything is sent");
  t.match(await page.locator("#price").textContent(), /500 credits\. Your balance: [\d,]+ credits\.$/);
}

async function order({ t, page, hand, name, look }: Traveller): Promise<void> {
  await hand.write(page.locator("#name"), name);
  await page.evaluate(OBSERVE_STEPS);
  await hand.press(page.locator("#make"));
  await page.locator("#steps [aria-current]").waitFor();
  await look("3 being made");
  await untilState(page, "talking");
  const steps = (await page.evaluate("window.steps")) as string[];
  t.equal(steps[0], "Sending the picture");
  t.equal(steps.at(-1), "Coming to you");
  await untilLive(page.frameLocator("#avatar").locator("#page"));
  await look("4 it is there");
}

async function talk({ t, page, hand, way, name, look }: Traveller): Promise<void> {
  await openView(page, hand, "Talk");
  await hand.press(page.locator(".agent-card", { hasText: name }));
  const frame = page.frameLocator(".talk-frame");
  await untilLive(frame.locator("#page"));
  await look("5 talk");
  if (way.triesMicrophone) {
    await hand.press(frame.locator("#microphone"));
    await frame.locator("#hint", { hasText: /not allowed.+or type instead/ }).waitFor();
    t.equal(await frame.locator("#microphone").getAttribute("aria-pressed"), "false", "the microphone stays off");
    await look("5 microphone refused");
  }
  await hand.write(frame.locator("#text"), QUESTION);
  await hand.press(frame.locator("#send"));
  const turn = page.locator(".turns > li", { hasText: QUESTION });
  await turn.locator("dd").last().filter({ hasText: /\d/ }).waitFor();
  await frame.locator(".line", { hasText: "It is open source" }).waitFor();
  await look("6 a turn");
}

/** `talking`: the tab of the conversation. */
async function readCostAndEnd({ t, way, page, hand, name, look }: Traveller, talking: Traveller): Promise<void> {
  const rows = page.getByRole("row", { name: new RegExp(name) });
  const running = rows.filter({ has: page.getByRole("button", { name: /^End the session/ }) });
  // The conversation in Create ends a moment after it was left.
  await waitFor(async () => (await running.count()) === 1, "one session that runs");
  const [length, credits] = [running.locator(".counted").first(), running.locator(".counted").last()];
  const before = await length.innerText();
  await waitFor(async () => (await length.innerText()) !== before, "seconds that are counted");
  if (way.costs) await waitFor(async () => Number(await credits.innerText()) > 0, "a credit that it has cost");

  await lookAt(t, way, "7 it runs", page);

  await openView(page, hand, "Usage");
  const ledger = page.getByRole("region", { name: "Ledger" });
  const booked = (words: string) => ledger.getByRole("row").filter({ hasText: words }).filter({ hasText: name });
  await booked("Agent with essence-2").waitFor();
  await look("8 usage");

  await openView(page, hand, "Sessions");
  const end = running.getByRole("button", { name: /^End the session/ });
  await hand.press(end);
  const dialog = page.getByRole("dialog");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await waitFor(() => end.evaluate((button) => button === document.activeElement), "the focus where it was");
  await hand.press(end);
  await look("9 before it ends");
  await hand.press(dialog.getByRole("button", { name: "End", exact: true }));
  await page.getByText(`The session of ${name} has ended.`).waitFor();
  await waitFor(async () => (await running.count()) === 0, "no session that runs");
  await look("9 it has ended");
  await talking.page.getByText("The session was ended elsewhere").waitFor();
  await talking.look("9 it was ended elsewhere");

  const ended = rows.filter({ hasText: "its owner ended it" });
  await hand.press(ended.getByRole("link", { name: /^Transcript of/ }));
  await page.locator(".transcript .user", { hasText: QUESTION }).waitFor();
  await page.locator(".transcript .assistant", { hasText: "It is open source" }).waitFor();
  await look("10 transcript");

  await openView(page, hand, "Usage");
  // A part of a credit is kept for the next session.
  if (way.costs) await booked("Session with essence-2, streamed").first().waitFor();
  await look("11 what it has cost");
}

/** Waits for the first frame. Throws if the page of the avatar ends. */
async function untilLive(avatar: Locator): Promise<void> {
  const isLive = async () => {
    const state = await avatar.getAttribute("data-state");
    if (state === "ended") throw new Error(`the page ended: ${await avatar.innerText()}`);
    return state === "live";
  };
  await waitFor(isLive, "an avatar that is live");
}

async function lookAt(t: Test, { name, browser }: Way, step: string, page: Page): Promise<void> {
  for (const frame of page.frames()) {
    // A frame that is not shown has no size, and one may be leaving.
    const wide = (await frame.evaluate(WIDTHS).catch(() => [0, 0])) as [number, number];
    const given = frame === page.mainFrame() ? browser.viewport.width : wide[1];
    if (wide[0] > given) t.fail(`${step}: ${wide[0]} px in ${given}`);
  }
  if (!isWriting) return;
  await mkdir(PICTURES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const file = `${name} ${step} ${colorScheme}.png`.replaceAll(/[ ,%]+/g, "-");
    await page.screenshot({ path: join(PICTURES, file) });
  }
  await page.emulateMedia({ colorScheme: browser.colorScheme ?? "light" });
}

const WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";
