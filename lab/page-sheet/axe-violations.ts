// Accessibility of a page as it stands, by axe-core's default rules.
import axe from "axe-core";
import type { Page } from "playwright-core";

/** One line for each violated rule: rule, number of elements, the first of them. Frames of the same origin are checked,
 *  too. Empty for a page without violations. */
export async function axeViolations(page: Page): Promise<string[]> {
  for (const frame of page.frames()) await frame.evaluate(axe.source);
  // A text, because a function would bring helpers of the loader that the tab lacks.
  const results = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as axe.AxeResults;
  return results.violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.target.join(" ") ?? ""}`);
}
