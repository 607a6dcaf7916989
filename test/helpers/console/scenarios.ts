// The scenarios of the console's views, in the order of the menu.
import type { ConsoleScenario } from "./console-scenario.ts";
import { accountScenario } from "./scenarios/account.ts";
import { agentsScenarios } from "./scenarios/agents.ts";
import { changesScenario } from "./scenarios/changes.ts";
import { createScenario } from "./scenarios/create.ts";
import { faultsScenario } from "./scenarios/faults.ts";
import { secretsScenario } from "./scenarios/secrets.ts";

export const SCENARIOS: readonly ConsoleScenario[] = [
  createScenario,
  secretsScenario,
  accountScenario,
  changesScenario,
  ...agentsScenarios,
  faultsScenario,
];
