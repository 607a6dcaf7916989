// The README and its first steps, command by command, against the service that their first block starts. Blocks run as
// they stand, but for the port and the data folder.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { readEnvFile } from "../../cli/start/env-file.ts";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { runCommand } from "../../cli/start/processes/run-command.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { withPackedProject } from "../helpers/packages/with-packed-project.ts";
import { waitFor } from "../helpers/wait-for.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = "README.md";
const FIRST_STEPS = "docs/getting-started.md";
/** A whole document: a film and a bake on a busy machine. */
const SHELL_TIMEOUT_MS = 300_000;
const PICTURE_TIMEOUT_MS = 180_000;

interface Block {
  language: string;
  code: string;
}

/** What the documents name, and what it is here. */
interface Place {
  port: number;
  dataDir: string;
}

t.setTimeout(600_000);

t.test("every block of the README and its first steps does what it says", { timeout: 590_000 }, async (t) => {
  const [readme, steps] = await Promise.all([README, FIRST_STEPS].map(blocksOf));
  const [install, ...readmeBlocks] = readme;
  const place = { port: await findFreePort(), dataDir: await makeDataFolder(t) };
  const before = await readdir(ROOT);
  const status = await gitStatus();
  t.teardown(async () => {
    for (const name of await readdir(ROOT)) if (!before.includes(name)) await rm(join(ROOT, name), { recursive: true });
  });

  t.equal(install.code, "npm ci\nnpm start", "the first block: two commands");
  const service = await startService(t, place);

  const shell = readmeBlocks.concat(steps).filter(({ language }) => language === "sh");
  const output = await runShell(t, shell, place);
  const link = /"url":"([^"]+\/a\/[^"]+)"/.exec(output)?.[1] ?? "";
  t.match(link, `http://127.0.0.1:${place.port}/a/`, "the README's link");
  t.match(output, /"download_url"|\.mp4/, "a film was made");
  t.match(output, /AVATAR_TOKEN|session_id/, "an avatar went into the room");

  const pages = readmeBlocks.filter(({ language }) => language === "html");
  const frame = pages.find(({ code }) => code.includes("<iframe"))!;
  await t.test("the frame shows the avatar", { skip: findChromium() ? false : CHROMIUM_MISSING }, (t) =>
    showFrame(t, adapt(frame.code, place).replace(/http:[^"]*\/a\/CODE/, link)),
  );
  const face = pages.find(({ code }) => code.includes("<avatar-face"))!;
  await t.test("the page's face says a recording", { skip: findChromium() ? false : CHROMIUM_MISSING }, (t) =>
    showFace(t, face.code),
  );
  const [agentLines] = readmeBlocks.filter(({ language }) => language === "js");
  await t.test("the lines for LiveKit Agents give an agent this face", (t) => runAgent(t, agentLines, place));
  const [call] = steps.filter(({ language }) => language === "js");
  await t.test("the realtime call is answered", (t) => runCall(t, call, place));

  const tried = 2 + shell.length + 3;
  t.equal(readme.length + steps.length, tried, "no block was left out");
  t.equal(await gitStatus(), status, "and git status is as before");
  t.equal(service.exitCode, null, "the service still runs");
});

async function blocksOf(document: string): Promise<Block[]> {
  const text = await readFile(join(ROOT, document), "utf8");
  return [...text.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language, code]) => ({ language, code }));
}

function adapt(code: string, { port, dataDir }: Place): string {
  return code.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`).replaceAll(/(?<![\w.])\.data\//g, `${dataDir}/`);
}

/** `npm start`, until it says that it is ready. */
async function startService(t: Test, { port, dataDir }: Place): Promise<ChildProcess> {
  const child = spawn("npm", ["start"], {
    cwd: ROOT,
    detached: true,
    env: {
      ...programs(),
      PORT: String(port),
      AVATAR_DATA_DIR: dataDir,
      AVATAR_RELAY_PORT: "0",
      AVATAR_VOICE: "formant",
      // The avatar of the README's room still waits there when the frame gets another one, also on a busy machine.
      AVATAR_ADMISSION: "fixed",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const ended = once(child, "close");
  t.teardown(async () => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGINT");
    await ended;
  });
  await waitFor(() => /Ready after/.test(output) || child.exitCode !== null, "the service", SHELL_TIMEOUT_MS);
  t.equal(child.exitCode, null, output);
  return child;
}

/** One shell for all blocks, as a reader has it. Stops at the first command that fails. */
async function runShell(t: Test, blocks: readonly Block[], place: Place): Promise<string> {
  const script = ["set -e", ...blocks.map(({ code }) => adapt(code, place))].join("\n");
  const { status, output } = await runCommand("bash", ["-c", script], {
    cwd: ROOT,
    env: { ...programs(), AVATAR_DATA_DIR: place.dataDir },
    timeoutMs: SHELL_TIMEOUT_MS,
  });
  t.equal(status, 0, output.slice(-4000));
  return output;
}

async function showFrame(t: Test, html: string): Promise<void> {
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  t.teardown(() => site.close());
  await withChromium(async (browser) => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
    const video = page.frameLocator("iframe").locator("video").first();
    await video.waitFor({ state: "attached" });
    const hasPicture = () => video.evaluate((element) => (element as HTMLVideoElement).videoWidth > 0);
    const shown = waitFor(hasPicture, "video in the frame", PICTURE_TIMEOUT_MS);
    await shown.catch(async (error) => {
      t.fail(error.message, { shown: await page.frameLocator("iframe").locator("body").innerText() });
    });
  });
}

/** The page, with the folder of the archive and the baked face beside it. */
async function showFace(t: Test, html: string): Promise<void> {
  await withPackedProject({ packages: ["face"] }, async ({ folder }) => {
    const script = join(folder, "node_modules", "@open-avatar", "face", "script");
    const files: Record<string, string> = {
      "/maya.imx": join(ROOT, "maya.imx"),
      "/speech.mp3": join(ROOT, "test", "fixtures", "speech", "weather-en.wav"),
    };
    const site = createServer(async (request, response) => {
      const path = new URL(request.url!, "http://x").pathname;
      if (path === "/") return response.setHeader("content-type", "text/html").end(html);
      const file = files[path] ?? join(script, path.replace("/script/", ""));
      if (/\.js$/.test(path)) response.setHeader("content-type", "text/javascript");
      const bytes = await readFile(file).catch(() => null);
      return bytes ? response.end(bytes) : response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    t.teardown(() => site.close());
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
      const stateOf = () => page.locator("avatar-face").evaluate((element) => "state" in element && element.state);
      await waitFor(async () => (await stateOf()) === "idle", "the face", PICTURE_TIMEOUT_MS);
      const audio = page.locator("audio");
      await audio.evaluate((element: HTMLAudioElement) => {
        element.loop = true;
      });
      // Its button that plays.
      await audio.click({ position: { x: 20, y: 27 } });
      await waitFor(async () => (await stateOf()) === "speaking", "the face speaks", PICTURE_TIMEOUT_MS);
      t.pass();
    });
  });
}

/** The lines in a program of an agent that is in a room and plays a second of noise. */
async function runAgent(t: Test, { code }: Block, place: Place): Promise<void> {
  const program = `
    import { initializeLogger, voice } from "@livekit/agents";
    import { AudioFrame, Room } from "@livekit/rtc-node";
    initializeLogger({ pretty: false, level: "silent" });
    const room = new Room();
    await room.connect(process.env.LIVEKIT_URL, process.env.USER_TOKEN);
    const ctx = { room };
    const session = new voice.AgentSession({});
    const agent = new voice.Agent({ instructions: "" });
    ${code}
    const noise = Int16Array.from({ length: 16000 }, () => 8000 * (Math.random() - 0.5));
    await session.output.audio.captureFrame(new AudioFrame(noise, 16000, 1, 16000));
    session.output.audio.flush();
    const { interrupted } = await session.output.audio.waitForPlayout();
    console.log("played", !interrupted);
    process.exit(0);`;
  const room = await runCommand("npm", ["run", "-s", "avatar", "--", "room", "--json"], {
    cwd: ROOT,
    env: { ...programs(), AVATAR_DATA_DIR: place.dataDir },
  });
  const { livekit_url: url, user_token: token } = JSON.parse(room.output.split("\n")[0]);
  const keys = await readEnvFile(join(place.dataDir, "livekit.env"));
  const { AVATAR_OPERATOR_SECRET: secret } = await readEnvFile(join(place.dataDir, "operator.env"));
  const environment = {
    ...programs(),
    ...keys,
    LIVEKIT_URL: url,
    USER_TOKEN: token,
    AVATAR_API_URL: `http://127.0.0.1:${place.port}`,
    AVATAR_API_SECRET: secret,
  };
  await withPackedProject({ packages: ["livekit-agents"] }, async (project) => {
    await project.link("@livekit/agents", "@livekit/rtc-node");
    const options = { cwd: project.folder, env: environment, timeoutMs: PICTURE_TIMEOUT_MS };
    // A busy machine refuses with "Try again".
    const { status, output } = await waitFor(
      async () => {
        const result = await runCommand(process.execPath, ["--input-type=module", "-e", program], options);
        return !result.output.includes("Try again") && result;
      },
      "a free slot",
      PICTURE_TIMEOUT_MS,
    );
    t.equal(status, 0, output);
    t.match(output, /played true/);
  });
}

/** The call stays open, so the program is ended once its first event is there. */
async function runCall(t: Test, { code }: Block, place: Place): Promise<void> {
  const { AVATAR_OPERATOR_SECRET } = await readEnvFile(join(place.dataDir, "operator.env"));
  const done = new AbortController();
  const { output } = await runCommand(process.execPath, ["--input-type=module", "-e", adapt(code, place)], {
    cwd: ROOT,
    env: { ...programs(), AVATAR_OPERATOR_SECRET },
    signal: done.signal,
    onLine: (line) => line.includes("session.created") && done.abort(),
  });
  t.match(output, /session\.created/);
}

/** Where programs are found; no settings of this test's own environment. */
function programs(): Record<string, string | undefined> {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME };
}

async function gitStatus(): Promise<string> {
  return (await runCommand("git", ["status", "--short"], { cwd: ROOT })).output;
}
