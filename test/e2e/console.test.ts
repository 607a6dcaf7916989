// The console's views on a real api, in a real browser. Each view has a scenario of its own.
import { join } from "node:path";
import t from "tap";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../lab/bench/with-chromium.ts";
import { buildWeb } from "../../web/build.ts";
import { runScenario } from "../helpers/console/console-scenario.ts";
import { SCENARIOS } from "../helpers/console/scenarios.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { ALLOW_LOOPBACK } from "../helpers/service/with-webhooks.ts";
import { waitFor } from "../helpers/wait-for.ts";

const DIST = join(import.meta.dirname, "..", "..", "web", "dist");
const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the console's views", { skip, timeout: 900_000 }, async (t) => {
  await buildWeb({ outDir: DIST });
  for (const runsJobs of [false, true]) {
    const scenarios = SCENARIOS.filter((scenario) => runsJobs === (scenario.runsJobs ?? false));
    await withApi(
      async (api) => {
        // Without it, streams of changes are refused, which browsers note as an error.
        await waitFor(() => api.services.notifications.isListening, "a connection that listens");
        await withChromium(async (browser) => {
          for (const scenario of scenarios) await runScenario(t, { api, browser }, scenario);
        });
      },
      // Webhooks are received here.
      { environment: ALLOW_LOOPBACK, background: runsJobs || "loops" },
    );
  }
});
