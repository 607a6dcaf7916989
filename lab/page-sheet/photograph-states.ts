// Photographs states of pages, and checks each with axe.
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Progress } from "../../cli/start/progress.ts";
import { axeViolations } from "./axe-violations.ts";
import type { PageState, SheetService } from "./page-state.ts";

/** Sizes in CSS px: a small phone, a phone, a laptop. */
const SIZES = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;
/** Words are longest for their room here. */
const NARROWEST = SIZES[0];
const WIDTHS = "[document.documentElement.scrollWidth, innerWidth]";
const THEMES = ["light", "dark"] as const;
/** Longer than any state takes, also on a busy machine. */
const STATE_TIMEOUT_MS = 60_000;
/** Chromium flags: sound without a tap, a camera and a microphone of Chromium's own, and the same letters on every
 *  machine. */
export const SHEET_FLAGS = [
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  "--font-render-hinting=none",
];

export interface Shot {
  /** State, width and theme. */
  name: string;
  state: string;
  width: number;
  theme: string;
  /** File in the sheet's folder. */
  file: string;
  /** Broken accessibility rules. */
  violations: string[];
  /** Why the state was not reached. The picture shows what was. */
  problem?: string;
}

export interface PhotographOptions {
  browser: Browser;
  states: readonly PageState[];
  folder: string;
  service: SheetService;
  progress: Progress;
}

/**
 * One shot per state, size, theme and language. What is wider than its window has a problem, too. A state that is not
 * reached is photographed as it is, with its problem.
 */
export async function photographStates(options: PhotographOptions): Promise<Shot[]> {
  const { browser, states, folder, service, progress } = options;
  const shots: Shot[] = [];
  for (const state of states) {
    const views = [
      ...SIZES.map((viewport) => ({ viewport, locale: "en" })),
      ...(state.languages ?? []).map((locale) => ({ viewport: NARROWEST, locale })),
    ];
    for (const { viewport, locale } of views) {
      const context = await browser.newContext({ viewport, locale, reducedMotion: "reduce" });
      try {
        const page = await context.newPage();
        page.setDefaultTimeout(STATE_TIMEOUT_MS);
        let problem = await state.open(page, service).then(
          () => undefined,
          (error: Error) => error.message.split("\n")[0],
        );
        await page.evaluate("document.fonts.ready.then(() => undefined)");
        const [needed, given] = (await page.evaluate(WIDTHS)) as [number, number];
        if (needed > given) problem ??= `${needed} px in ${given}`;
        for (const theme of THEMES) {
          await page.emulateMedia({ colorScheme: theme });
          const language = locale === "en" ? "" : `, ${locale}`;
          const name = `${state.name}, ${viewport.width}${language}, ${theme}`;
          const file = `${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`;
          const violations = problem === undefined ? await axeViolations(page) : [];
          await page.screenshot({ path: join(folder, file) });
          shots.push({ name, state: state.name, width: viewport.width, theme, file, violations, problem });
          progress.note(problem ?? violations[0] ?? name);
        }
      } finally {
        await context.close();
      }
    }
  }
  return shots;
}
