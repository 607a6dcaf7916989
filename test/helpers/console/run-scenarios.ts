// Scenarios of the console's views, one after the other on a real api.
import { join } from "node:path";
import type { Test } from "tap";
import { withChromium } from "../../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../../web/build.ts";
import { withApi } from "../service/with-api.ts";
import { ALLOW_LOOPBACK } from "../service/with-webhooks.ts";
import { waitFor } from "../wait-for.ts";
import { type ConsoleScenario, runScenario } from "./console-scenario.ts";

const DIST = join(import.meta.dirname, "..", "..", "..", "web", "dist");

/** Those with jobs run on an api of their own. */
export async function runScenarios(t: Test, scenarios: readonly ConsoleScenario[]): Promise<void> {
  await buildWeb({ outDir: DIST });
  for (const runsJobs of [false, true]) {
    const chosen = scenarios.filter((scenario) => runsJobs === (scenario.runsJobs ?? false));
    if (chosen.length === 0) continue;
    await withApi(
      async (api) => {
        // Without it, streams of changes are refused, which browsers note as an error.
        await waitFor(() => api.services.notifications.isListening, "a connection that listens");
        await withChromium(async (browser) => {
          for (const scenario of chosen) await runScenario(t, { api, browser }, scenario);
        });
      },
      // Webhooks are received here.
      { environment: ALLOW_LOOPBACK, background: runsJobs || "loops" },
    );
  }
}
