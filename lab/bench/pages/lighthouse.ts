// Lighthouse's view of a page, in a Chromium of its own.
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { withChromium } from "../with-chromium.ts";

/** Each 0 to 100. */
export interface LighthouseScores {
  performance: number;
  accessibility: number;
  bestPractices: number;
}

const LONGEST_LOAD_MS = 15_000;
const CATEGORIES = { performance: "performance", accessibility: "accessibility", bestPractices: "best-practices" };

/** Opens the page as a desktop computer, with the cookie of a session. Throws Error without a result. */
export async function measureLighthouse(url: string, cookie: string): Promise<LighthouseScores> {
  // Loaded lazily: it takes a second.
  const [{ default: lighthouse }, { default: desktopConfig }] = await Promise.all([
    import("lighthouse"),
    import("lighthouse/core/config/desktop-config.js"),
  ]);
  const port = await findFreePort();
  return withChromium(async () => {
    const flags = {
      port,
      logLevel: "silent" as const,
      output: "json" as const,
      extraHeaders: { Cookie: cookie },
      disableStorageReset: true,
      // The stream of changes keeps the network busy.
      maxWaitForLoad: LONGEST_LOAD_MS,
      onlyCategories: Object.values(CATEGORIES),
    };
    const result = await lighthouse(url, flags, desktopConfig);
    const scoreOf = (category: string) => {
      const score = result?.lhr.categories[category]?.score;
      if (typeof score !== "number") throw new Error(`Lighthouse has no score for ${category} of ${url}`);
      return Math.round(100 * score);
    };
    return {
      performance: scoreOf(CATEGORIES.performance),
      accessibility: scoreOf(CATEGORIES.accessibility),
      bestPractices: scoreOf(CATEGORIES.bestPractices),
    };
  }, [`--remote-debugging-port=${port}`]);
}
