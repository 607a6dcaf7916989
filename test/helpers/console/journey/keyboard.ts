// A person with a keyboard and nothing else: Tab leads to a control, Enter or the space bar presses it. Each stop on
// the way must be seen.
import type { Locator, Page } from "playwright-core";
import { waitFor } from "../../wait-for.ts";
import type { Hand } from "./hand.ts";

/** More than any page of the console has. */
const MOST_STOPS = 200;
/** A focus that is nowhere for so long is lost. */
const LOST_MS = 15_000;

export interface Keyboard extends Hand {
  /** What was wrong on the way: a focus that is not seen, or that was lost. */
  readonly problems: readonly string[];
  /** Notes a focus that is lost `after` something has happened. */
  look(after: string): Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const problems: string[] = [];
  const note = (problem: string) => {
    if (!problems.includes(problem)) problems.push(problem);
  };

  async function tabTo(control: Locator): Promise<void> {
    await control.waitFor({ state: "attached" });
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      if (await control.evaluate(HAS_FOCUS)) return;
      await page.keyboard.press("Tab");
      const problem = await problemOfFocus(page);
      if (problem !== "") note(problem);
    }
    throw new Error(`Tab does not lead to ${control}`);
  }

  return {
    problems,
    async press(control) {
      const isLabel = await control.evaluate((element) => element.tagName === "LABEL");
      await tabTo(isLabel ? control.locator("input") : control);
      await page.keyboard.press(isLabel ? "Space" : "Enter");
    },
    async look(after) {
      await waitFor(() => page.evaluate(IS_ON_SOMETHING), "a focus", LOST_MS).catch(() => {
        note(`the focus is lost after ${after}`);
      });
    },
    async write(field, text) {
      await tabTo(field);
      await page.keyboard.type(text);
    },
  };
}

/** What is wrong with how the focus is seen; empty if nothing is. */
async function problemOfFocus(page: Page): Promise<string> {
  for (const frame of page.frames()) {
    // A frame may be leaving.
    const problem = await frame.evaluate(PROBLEM_OF_FOCUS).catch(() => "");
    if (problem !== "") return `${new URL(frame.url()).pathname}: ${problem}`;
  }
  return "";
}

const HAS_FOCUS = (element: Element): boolean =>
  element === element.ownerDocument.activeElement && element.ownerDocument.hasFocus();

const IS_ON_SOMETHING = "document.activeElement !== null && document.activeElement !== document.body";

/** In a frame: says how the focus is not seen. Between the end of the page and its beginning it is nowhere. */
const PROBLEM_OF_FOCUS = `(() => {
  const focused = document.activeElement;
  if (!document.hasFocus() || !focused || focused === document.body || focused.tagName === "IFRAME") return "";
  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && outlineWidth !== "0px";
  };
  // Of a radio button that is not seen, the label is.
  const isHidden = getComputedStyle(focused).opacity === "0";
  const shown = isHidden ? (focused.closest("label") ?? focused) : focused;
  const name = focused.tagName + "#" + focused.id + "." + focused.className + " " + focused.textContent.slice(0, 30);
  // Of a date, the browser marks the part that has the focus.
  if (!isOutlined(shown) && focused.type !== "date") return "the focus is not seen on " + name;
  const { left, top, width, height } = shown.getBoundingClientRect();
  const isInside = left + width > 0 && top + height > 0 && left < innerWidth && top < innerHeight;
  if (!isInside) return "the focus is outside of the window, on " + name;
  const between = (low, high, most) => Math.min(Math.max((Math.max(low, 0) + Math.min(high, most)) / 2, 0), most - 1);
  const x = between(left, left + width, innerWidth);
  const y = between(top, top + height, innerHeight);
  const above = document.elementFromPoint(x, y);
  const isCovered = above !== null && !shown.contains(above) && !above.contains(shown);
  return isCovered ? name + " has the focus and lies below " + above.tagName + "." + above.className : "";
})()`;
