// A headless Chromium for benchmarks and tests of pages.
import type { Browser } from "playwright-core";
import { StartError } from "../../cli/start/start-error.ts";
import { findExecutable } from "../find-executable.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Remedy if there is no Chromium; also the reason of skipped tests. */
export const CHROMIUM_MISSING =
  "no Chromium: install it (Debian: apt-get install chromium) or name one in CHROMIUM_PATH";

/** Without these, Chromium tries to reach the internet for its own purposes; pages under test are all on this machine.
 *  */
export const QUIET_FLAGS: readonly string[] = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
  "--disable-gpu",
  // Chromium's sandbox refuses to run as root.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

/** How long a page may take for one step, ms, unless its user says otherwise: no busy machine needs as long. */
const STEP_MS = 60_000;
/** As `STEP_MS`, for the start of the browser. */
const START_MS = 120_000;

/** Path of a Chromium from CHROMIUM_PATH or PATH; undefined if there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH } = process.env;
  return findExecutable(NAMES, CHROMIUM_PATH, PATH);
}

/** Gives `work` a browser of its own, started with `flags` besides our own, and closes it afterwards. Throws StartError
 *  if there is no Chromium (ask `findChromium` first) or the package that steers it is not installed. */
export async function withChromium<T>(
  work: (browser: Browser) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const executablePath = findChromium();
  if (!executablePath) throw new StartError("This needs a browser.", CHROMIUM_MISSING);
  // A development package, absent from production installations.
  const { chromium } = await import("playwright-core").catch((cause: unknown) => {
    throw new StartError("playwright-core is not installed.", "npm ci with development packages brings it.", cause);
  });
  const args = [...QUIET_FLAGS, ...flags];
  // It would end the process at a signal, before a program that listens for the signal has stopped its servers.
  const handles = (signal: NodeJS.Signals) => process.listenerCount(signal) === 0;
  const [handleSIGINT, handleSIGTERM] = [handles("SIGINT"), handles("SIGTERM")];
  const browser = await chromium.launch({ executablePath, args, handleSIGINT, handleSIGTERM, timeout: START_MS });
  const newContext = browser.newContext.bind(browser);
  // A page of its own has a context that is made here, too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(STEP_MS);
    return context;
  };
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}
