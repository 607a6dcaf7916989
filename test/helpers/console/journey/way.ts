// The ways in which the journey is made.
import type { BrowserContextOptions, Page } from "playwright-core";
import { finger, type Hand, mouse } from "./hand.ts";
import { type Keyboard, keyboardOf } from "./keyboard.ts";

export interface Way {
  name: string;
  browser: BrowserContextOptions & { viewport: { width: number; height: number } };
  /** For one tab. */
  handOf(page: Page): Hand & Partial<Pick<Keyboard, "problems" | "look">>;
  /** Whether the session runs until it has cost a whole credit, which takes 15 s. */
  costs?: true;
  /** Whether the microphone is tried first, which is refused. */
  triesMicrophone?: true;
}

export const WAYS: readonly Way[] = [
  {
    name: "by mouse",
    browser: { viewport: { width: 1280, height: 800 } },
    handOf: () => mouse,
    costs: true,
    triesMicrophone: true,
  },
  {
    name: "by keyboard alone",
    browser: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
    handOf: keyboardOf,
    costs: true,
  },
  {
    name: "by touch, 320 px wide",
    browser: { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
    handOf: () => finger,
  },
  {
    // As a window of 1280 px × 800 px has it.
    name: "at 200 % zoom",
    browser: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
    handOf: () => mouse,
  },
];
