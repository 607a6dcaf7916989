// What axe finds wrong with a page as it is shown.
import axe from "axe-core";
import type { Frame, Page } from "playwright-core";

/** One line for each element that breaks one of axe's default rules: rule, selector and what is wrong. Takes a page, or
 *  one frame of it. */
export async function axeViolations(page: Page | Frame): Promise<string[]> {
  // Evaluated, not added as a script: pages allow no inline scripts.
  await page.evaluate(axe.source);
  return (await page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)))`)) as string[];
}
