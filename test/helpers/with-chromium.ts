// A real headless Chromium for tests of pages.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Why page tests are skipped where there is no Chromium. */
export const CHROMIUM_MISSING =
  "no Chromium: install it (Debian: apt-get install chromium) or name one in CHROMIUM_PATH to run this test";

/** Without these, Chromium tries to reach the internet for its own purposes; pages under test are all on this machine. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
  "--disable-gpu",
];

/** Path of a Chromium from CHROMIUM_PATH or PATH; undefined if there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  const candidates = CHROMIUM_PATH
    ? [CHROMIUM_PATH]
    : PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Gives `work` a browser of its own and closes it afterwards. Throws if there is no Chromium: ask `findChromium` first. */
export async function withChromium<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(CHROMIUM_MISSING);
  // Chromium's sandbox refuses to run as root.
  const args = process.getuid?.() === 0 ? [...QUIET, "--no-sandbox"] : QUIET;
  const browser = await chromium.launch({ executablePath, args });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}
