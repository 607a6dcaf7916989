// A headless Firefox in front of the pages, steered by WebDriver BiDi: what steers Chromium cannot steer a Firefox as
// it is released.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartError } from "../../../cli/start/start-error.ts";
import { findExecutable } from "../../find-executable.ts";
import { BidiConnection } from "./bidi-connection.ts";
import { FirefoxTab } from "./firefox-tab.ts";

const NAMES = ["firefox-esr", "firefox"];
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** A visitor with camera and microphone, and sound without a tap; the browser makes no connections of its own. */
const PREFERENCES: Readonly<Record<string, boolean | number | string>> = {
  "media.autoplay.default": 0,
  "media.autoplay.blocking_policy": 0,
  "media.navigator.permission.disabled": true,
  "media.navigator.streams.fake": true,
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.update.enabled": false,
  "media.gmp-manager.updateEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

type Environment = Readonly<Record<string, string | undefined>>;

interface Firefox {
  /** Such as "Firefox 153.8.0". */
  name: string;
  /** The same profile for all: what one tab has loaded, the next may have. */
  openTab(): Promise<FirefoxTab>;
}

/** Path of a Firefox from FIREFOX_PATH or PATH; undefined if there is none. */
function findFirefox({ FIREFOX_PATH, PATH }: Environment): string | undefined {
  return findExecutable(NAMES, FIREFOX_PATH, PATH);
}

/** Gives `work` a browser with a profile of its own, and closes it afterwards. `environment` like `process.env`. Throws
 *  StartError if there is no Firefox. */
export async function withFirefox<T>(environment: Environment, work: (firefox: Firefox) => Promise<T>): Promise<T> {
  const path = findFirefox(environment);
  if (!path)
    throw new StartError(
      "This needs Firefox.",
      "install it (Debian: apt-get install firefox-esr) or name one in FIREFOX_PATH",
    );
  const profile = await mkdtemp(join(tmpdir(), "open-avatar-service-firefox-"));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(profile, "user.js"), lines.join(""));
  // A group of its own, so that nothing of it outlives this run.
  const child = spawn(path, ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  let connection: BidiConnection | undefined;
  try {
    connection = await BidiConnection.open(`${await readAddress(child)}/session`);
    const { capabilities } = await connection.send<{ capabilities: Record<string, unknown> }>("session.new", {
      capabilities: {},
    });
    await connection.send("session.subscribe", { events: ["log.entryAdded"] });
    const open = connection;
    return await work({
      name: `Firefox ${capabilities.browserVersion}`,
      openTab: () => FirefoxTab.open(open),
    });
  } finally {
    connection?.close();
    await stop(child, exited);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Where it can be steered: it says so when it is ready. */
function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let errors = "";
    const fail = () => reject(new StartError("Firefox did not start.", errors.slice(-1000)));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    child.once("error", reject);
    child.once("exit", fail);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4000);
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(errors)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.pid === undefined) return;
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // It has ended.
    }
  };
  if (child.exitCode === null && child.signalCode === null) kill("SIGTERM");
  const timer = setTimeout(() => kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
  kill("SIGKILL");
}
