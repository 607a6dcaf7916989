// A visitor in a real browser in front of the whole service, started as an operator starts it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { readWav, writeWav } from "../../src/signal/audio/wav.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { KEEP_LOUDEST_SAMPLE } from "../helpers/rooms/loudest-sample.ts";
import { waitFor } from "../helpers/wait-for.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const ARTIFACTS = join(PROJECT, "test", ".artifacts");
const START_TIMEOUT_MS = 240_000;
const LIVE_TIMEOUT_MS = 60_000;
const SPEECH_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const QUESTION = "What happens when you add gold to the glaze?";
const MARKUP = `Hello <img src=x onerror="window.wasHacked=true"> friend, 3 < 4.`;

/** Keeps every change of whether the button is busy: a look would come too late on a slow machine. */
const OBSERVE_SENDING = `
  window.sending = [];
  const button = document.getElementById("send");
  let last = button.getAttribute("aria-busy");
  new MutationObserver(() => {
    const now = button.getAttribute("aria-busy");
    if (now !== last) window.sending.push((last = now));
  }).observe(button, { attributeFilter: ["aria-busy"] });
`;

interface RunningService {
  url: string;
  /** Holds the operator's API secret. */
  secretFile: string;
  stop(): Promise<void>;
}

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the embed page shows a moving face that speaks typed text", { skip, timeout: 420_000 }, async (t) => {
  const dataDir = await makeDataFolder(t);
  let service = await startService(dataDir);
  t.teardown(() => service.stop());
  await mkdir(ARTIFACTS, { recursive: true });

  await withChromium(async (browser) => {
    await t.test("a visitor opens the link and hears the avatar speak", (t) => visit(t, browser, service.url));
    await t.test("an invalid link is explained in a plain message", (t) => deadLinks(t, browser, service.url));
  });

  const question = await speakQuestion(service, dataDir);
  const microphone = ["--use-fake-device-for-media-stream", `--use-file-for-fake-audio-capture=${question}%noloop`];
  await t.test("a visitor talks, is understood and answered; the words are in no log", (t) =>
    withChromium((browser) => talk(t, browser, service.url), [...microphone, "--use-fake-ui-for-media-stream"]),
  );
  await t.test("an owner talks in the console, and sees what was understood and what the answer was made from", (t) =>
    withChromium((browser) => ownerTalks(t, browser, service), [...microphone, "--use-fake-ui-for-media-stream"]),
  );
  await t.test("a service that starts again finds the visitor where he was", (t) =>
    withChromium(async (browser) => {
      const { page } = await openPage(browser);
      await page.goto(`${service.url}/demo`);
      await waitForState(page, "live");
      await service.stop();
      await page.locator(".stage-notice", { hasText: /Trying again/ }).waitFor({ timeout: LIVE_TIMEOUT_MS });
      t.ok(await page.locator(".stage-poster").isVisible(), "the picture stays meanwhile");
      service = await startService(dataDir, new URL(service.url).port);
      await page.locator("#page[data-state=live]").waitFor({ timeout: LIVE_TIMEOUT_MS });
    }),
  );

  const logs = await readdir(join(dataDir, "logs"));
  t.ok(logs.length > 0);
  for (const name of logs) {
    const log = await readFile(join(dataDir, "logs", name), "utf8");
    t.notMatch(log, /eyJ[\w-]{10,}\.[\w-]{10,}/, `${name} holds no token`);
    t.notMatch(log, /glaze/i, `${name} holds no words`);
  }
});

async function visit(t: Test, browser: Browser, url: string): Promise<void> {
  const { page, problems } = await openPage(browser);
  await page.goto(`${url}/demo`);
  t.equal(page.url(), `${url}/embed/demo`, "the token has left the address bar");
  await waitForState(page, "live");
  t.equal(await page.locator(".stage-disclosure").textContent(), "AI-generated face");
  t.ok(await page.locator(".stage-disclosure").isVisible(), "the face is labelled");

  await t.test("the video moves", async (t) => {
    const first = await readFrame(page);
    t.ok(spread(first) > 20, "it is no flat colour");
    await waitFor(async () => difference(first, await readFrame(page)) > 0.2, "a frame that differs");
    const shown = () => page.evaluate("document.getElementById('video').getVideoPlaybackQuality().totalVideoFrames");
    const before = Number(await shown());
    await waitFor(async () => Number(await shown()) >= before + 20, "twenty more frames");
  });

  await t.test("the avatar greets, and the page says what answers and what is kept", async (t) => {
    await waitForLines(page, ["avatar: Hello, I'm Mona Lisa. What can I do for you?"]);
    t.match(await page.locator("#answer-source").textContent(), /this product's documents. I am not a language model/);
    t.match(await page.locator("#kept").textContent(), /kept for 30 days/);
    t.equal(await page.locator("#send").textContent(), "Send");
    await waitFor(async () => (await page.locator(".stage-state").textContent()) === "Ready", "the avatar to listen");
    t.equal(await page.locator("#talk-word").textContent(), "Talk");
  });

  await t.test("typed text is the visitor's line, is answered with a caption, and is never executed", async (t) => {
    await listen(page);
    t.ok(await page.locator("#send").isDisabled(), "nothing to say yet");
    await page.evaluate(OBSERVE_SENDING);
    await page.locator("#text").fill(MARKUP);
    await page.keyboard.press("Enter");
    t.equal(await page.locator("#text").inputValue(), "", "the text box is ready for the next line");
    await waitFor(async () => Number(await page.evaluate("window.loudest")) > 0.05, "audio", SPEECH_TIMEOUT_MS);
    const caption = page.locator(".stage-caption");
    await waitFor(async () => (await caption.textContent()) !== "", "a caption", SPEECH_TIMEOUT_MS);
    await waitFor(async () => (await readLines(page)).length === 3, "an answer", SPEECH_TIMEOUT_MS);
    const [, typed, answer] = await readLines(page);
    t.equal(typed, `visitor: ${MARKUP}`);
    t.match(answer, /^avatar: \S/);
    t.equal(await page.locator("#transcript img").count(), 0);
    t.same(await page.evaluate("window.sending"), ["true", "false"], "the button was busy until the words came");
    t.equal(await page.evaluate("window.wasHacked"), undefined);
    await page.screenshot({ path: join(ARTIFACTS, "embed-page.png") });
  });

  await t.test("audio can be switched off, and the transcript folded, with the keyboard too", async (t) => {
    await page.locator("#mute").focus();
    await page.keyboard.press("Space");
    t.equal(await page.evaluate("document.getElementById('audio').muted"), true);
    await page.keyboard.press("Space");
    t.equal(await page.evaluate("document.getElementById('audio').muted"), false);
    await page.locator("#words").click();
    t.notOk(await page.locator("#transcript").isVisible());
  });

  t.same(problems, [], "no console errors, failed requests or policy violations");
  await page.context().close();
}

/** The question as a microphone hears it, two seconds after it is opened; a WAV file. */
async function speakQuestion(service: RunningService, folder: string): Promise<string> {
  const secret = await readSecret(service);
  const answer = await fetch(`${service.url}/v1/audio/speech`, {
    method: "POST",
    headers: { "api-secret": secret, "content-type": "application/json" },
    body: JSON.stringify({ model: "tts-1", input: QUESTION, voice: "F2", response_format: "wav" }),
  });
  const { samples, sampleRateHz } = readWav(new Uint8Array(await answer.arrayBuffer()));
  const late = new Int16Array(2 * sampleRateHz + samples.length);
  late.set(samples, 2 * sampleRateHz);
  const path = join(folder, "question.wav");
  await writeFile(path, writeWav({ samples: late, sampleRateHz }));
  return path;
}

async function talk(t: Test, browser: Browser, url: string): Promise<void> {
  const { page, problems } = await openPage(browser);
  await page.goto(`${url}/demo`);
  await waitForState(page, "live");
  await waitFor(async () => (await readLines(page)).length === 1, "the greeting", SPEECH_TIMEOUT_MS);
  await waitFor(async () => (await page.locator(".stage-state").textContent()) === "Ready", "the end of the greeting");
  await page.locator("#microphone").click();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "true");
  await page.locator("#talk-word", { hasText: "Listening" }).waitFor();
  await waitFor(async () => (await readLines(page)).length === 3, "question and answer", SPEECH_TIMEOUT_MS);
  const [, question, answer] = await readLines(page);
  t.match(question, /^visitor: .*gold.*glaze/i);
  t.equal(answer, "avatar: I don't know that.", "no document answers it");
  await page.screenshot({ path: join(ARTIFACTS, "embed-page-talk.png") });
  await page.locator("#microphone").click();
  t.equal(await page.locator("#microphone").getAttribute("aria-pressed"), "false");
  t.same(problems, []);
  await page.context().close();
}

async function ownerTalks(t: Test, browser: Browser, service: RunningService): Promise<void> {
  const { page, problems } = await openPage(browser);
  await page.goto(`${service.url}/console/talk`);
  await page.getByLabel("API secret").fill(await readSecret(service));
  await page.getByLabel("API secret").press("Enter");
  await page.getByRole("link", { name: "Mona Lisa" }).click();
  const talk = page.frameLocator(".talk-frame");
  await talk.locator("#page[data-state=live]").waitFor({ timeout: LIVE_TIMEOUT_MS });
  await talk.locator(".stage-state", { hasText: "Ready" }).waitFor({ timeout: SPEECH_TIMEOUT_MS });
  await talk.locator("#text").fill(MARKUP);
  await talk.locator("#text").press("Enter");
  const turns = page.locator(".turns > li");
  await turns
    .filter({ hasText: MARKUP })
    .filter({ hasText: "First audio sent" })
    .waitFor({ timeout: SPEECH_TIMEOUT_MS });
  await talk.locator(".stage-state", { hasText: "Ready" }).waitFor({ timeout: SPEECH_TIMEOUT_MS });
  await talk.locator("#microphone").click();
  const spoken = turns.filter({ hasText: /gold.*glaze/i });
  await spoken.getByText("Confidence of recognition").waitFor({ timeout: SPEECH_TIMEOUT_MS });
  await spoken.getByText("What the answer was made from").click();
  await spoken.getByText(`Person: ${MARKUP}`).waitFor();
  t.match(
    await spoken.locator(".facts").innerText(),
    /Words known\n\d.*Turn over\n\d.*Heard here, after the words were known\n\d/s,
  );
  t.match(await page.locator(".facts").first().innerText(), /First frame shown\n\d.*Playback delay of audio\n\d/s);
  await page.screenshot({ path: join(ARTIFACTS, "console-talk.png"), fullPage: true });
  await talk.locator("#end").click();
  await page.getByText("You have ended the conversation.").waitFor();
  t.equal(await page.evaluate("window.wasHacked"), undefined);
  t.same(
    problems.filter((problem) => !/net::ERR_ABORTED/.test(problem)),
    [],
  );
  await page.context().close();
}

async function readSecret({ secretFile }: RunningService): Promise<string> {
  return /AVATAR_OPERATOR_SECRET=(\S+)/.exec(await readFile(secretFile, "utf8"))?.[1] ?? "";
}

async function deadLinks(t: Test, browser: Browser, url: string): Promise<void> {
  const { page } = await openPage(browser);
  for (const [address, title, talk] of [
    [`${url}/embed/demo`, "This link is incomplete", "Talk"],
    [`${url}/embed/demo?lang=de`, "Dieser Link ist unvollständig", "Sprechen"],
    [`${url}/embed/demo?lang=fr&token=garbled.token.here`, "This link has expired", "Talk"],
  ] as const) {
    await page.goto(address);
    await waitForState(page, "ended");
    t.equal(await page.locator(".stage-notice-title").textContent(), title);
    t.equal(await page.locator("#talk-word").textContent(), talk);
    t.equal(await page.locator("html").getAttribute("lang"), talk === "Talk" ? "en" : "de");
    t.equal(await page.locator(".stage-notice button").count(), 0, "trying again would not help");
    t.notMatch(page.url(), /token/);
  }
  const home = await page.goto(`${url}/`);
  t.equal(home?.status(), 200);
  t.ok(
    await page.locator(".site-menu").getByRole("link", { name: "Demo", exact: true }).isVisible(),
    "the start page leads to the demo",
  );
  await page.context().close();
}

async function openPage(browser: Browser): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("requestfailed", (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`));
  return { page, problems };
}

/** The transcript's lines, with their speakers. */
async function readLines(page: Page): Promise<string[]> {
  return (await page.evaluate(`[...document.querySelectorAll("#lines .line")].map(
    (line) => line.dataset.speaker + ": " + line.lastElementChild.textContent,
  )`)) as string[];
}

/** Waits until the transcript has exactly these lines. */
async function waitForLines(page: Page, expected: string[]): Promise<void> {
  const isShown = async () => JSON.stringify(await readLines(page)) === JSON.stringify(expected);
  await waitFor(isShown, `the lines ${expected.join(", ")}`, SPEECH_TIMEOUT_MS);
}

async function waitForState(page: Page, name: string): Promise<void> {
  const read = () => page.locator("#page").getAttribute("data-state");
  await waitFor(
    async () => {
      const state = await read();
      if (state === "ended" && name !== "ended") {
        throw new Error(`the page ended: ${await page.locator(".stage-notice").textContent()}`);
      }
      return state === name;
    },
    `the page is ${name}`,
    LIVE_TIMEOUT_MS,
  );
}

/** The current frame as 64 × 64 grey values. */
async function readFrame(page: Page): Promise<number[]> {
  return (await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
    const context = canvas.getContext("2d");
    context.drawImage(document.getElementById("video"), 0, 0, 64, 64);
    const { data } = context.getImageData(0, 0, 64, 64);
    return Array.from({ length: 64 * 64 }, (_, index) => data[4 * index + 1]);
  })()`)) as number[];
}

/** Mean absolute difference of two frames, 0..255. */
function difference(a: number[], b: number[]): number {
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] as number)), 0) / a.length;
}

/** Standard deviation of a frame. */
function spread(frame: number[]): number {
  const mean = frame.reduce((sum, value) => sum + value, 0) / frame.length;
  return Math.sqrt(frame.reduce((sum, value) => sum + (value - mean) ** 2, 0) / frame.length);
}

/** Taps the page so that audio may play, and keeps the loudest sample heard in `window.loudest`. */
async function listen(page: Page): Promise<void> {
  const hear = page.locator("#hear");
  if (await hear.isVisible()) await hear.click();
  else await page.locator(".stage-name").click();
  await page.evaluate(KEEP_LOUDEST_SAMPLE);
}

/** `npm start` on free ports in a fresh data folder; resolves when it printed its links. */
async function startService(dataDir: string, port?: string): Promise<RunningService> {
  const child = spawn(process.execPath, ["--import", "tsx", join(PROJECT, "cli", "start.ts"), "--json"], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: port ?? String(await findFreePort()),
      AVATAR_WORKER_PORT: "0",
      AVATAR_RELAY_PORT: "0",
      AVATAR_DATA_DIR: dataDir,
      // The load of other tests must not decide how many sessions a test may start.
      AVATAR_ADMISSION: "fixed",
    },
  });
  let output = "";
  let notes = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    notes += text;
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGINT");
    await withDeadline(child, exited);
  };
  try {
    await waitFor(
      () => {
        if (child.exitCode !== null) throw new Error(`the service ended:\n${notes}`);
        return output.includes("\n");
      },
      "the service is ready",
      START_TIMEOUT_MS,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const { url, operator_secret_file: secretFile } = JSON.parse(output) as Record<string, string>;
  return { url, secretFile, stop };
}

/** Waits for the end of a process that was asked to stop; ends it the hard way if it does not. */
async function withDeadline(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
