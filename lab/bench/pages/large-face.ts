// A face of 720 × 720 pixels for a tab to render, in the place of the service's agent.
import { createHash } from "node:crypto";
import type { BrowserContext, Route } from "playwright-core";
import { bakeFirst } from "../../../cli/commands/doctor/bake-first.ts";
import { HD_CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";

/** Returns what lets the pages of a browser profile get that file. The motion stays the agent's. */
export async function bakeLargeFace(): Promise<(context: BrowserContext) => Promise<void>> {
  const bytes = await writeImx(await bakeFirst(createNodeRuntime(), "essence-2", HD_CANVAS_SIZES["1:1"]));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const tell = async (route: Route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { bundle?: { url: string; sha256: string } | null };
    const { bundle } = answer;
    const url = bundle?.url.replace(bundle.sha256, sha256);
    await route.fulfill({
      response,
      json: bundle ? { ...answer, bundle: { url, sha256, bytes: bytes.length } } : answer,
    });
  };
  return async (context) => {
    await context.route("**/embed/session", tell);
    await context.route("**/embed/agent?*", tell);
    await context.route("**/embed/bundle?*", (route) => route.fulfill({ body: Buffer.from(bytes) }));
  };
}
