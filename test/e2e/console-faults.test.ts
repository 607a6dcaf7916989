// What concerns all views of the console: changes, faults, and ten tasks in two clicks.
import t from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../lab/bench/with-chromium.ts";
import { runScenarios } from "../helpers/console/run-scenarios.ts";
import { COMMON_SCENARIOS } from "../helpers/console/scenarios.ts";

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("all views of the console", { skip, timeout: 900_000 }, (t) => runScenarios(t, COMMON_SCENARIOS));
