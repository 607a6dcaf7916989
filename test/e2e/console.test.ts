// The console's views on a real api, in a real browser. Each view has a scenario of its own.
import t from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../lab/bench/with-chromium.ts";
import { runScenarios } from "../helpers/console/run-scenarios.ts";
import { VIEW_SCENARIOS } from "../helpers/console/scenarios.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("the console's views", { skip, timeout: 900_000 }, (t) => runScenarios(t, VIEW_SCENARIOS));
