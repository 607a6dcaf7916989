// A headless Firefox in front of the pages, steered by WebDriver BiDi: what steers Chromium cannot steer a Firefox as
// it is released.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../../../cli/start/start-error.ts";
import { findExecutable } from "../../find-executable.ts";
import { BrowserConnection } from "./browser-connection.ts";
import { type BrowserProgram, withBrowserProcess } from "./browser-process.ts";
import { FirefoxTab } from "./firefox-tab.ts";

const NAMES = ["firefox-esr", "firefox"];

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
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  const program: BrowserProgram = {
    path,
    words: (profile) => ["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile],
    address: /WebDriver BiDi listening on (ws:\S+)/,
    prepare: (profile) => writeFile(join(profile, "user.js"), lines.join("")),
  };
  return withBrowserProcess(program, async (address) => {
    const connection = await BrowserConnection.open(`${address}/session`);
    try {
      const { capabilities } = await connection.send<{ capabilities: Record<string, unknown> }>("session.new", {
        capabilities: {},
      });
      await connection.send("session.subscribe", { events: ["log.entryAdded"] });
      return await work({
        name: `Firefox ${capabilities.browserVersion}`,
        openTab: () => FirefoxTab.open(connection),
      });
    } finally {
      connection.close();
    }
  });
}
