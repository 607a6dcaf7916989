// The scenarios of the console's views, in the order of the menu.
import type { ConsoleScenario } from "./console-scenario.ts";
import { accountScenario } from "./scenarios/account.ts";
import { agentsScenarios } from "./scenarios/agents.ts";
import { changesScenario } from "./scenarios/changes.ts";
import { createScenario } from "./scenarios/create.ts";
import { faultsScenario } from "./scenarios/faults.ts";
import { operatorScenario } from "./scenarios/operator.ts";
import { secretsScenario } from "./scenarios/secrets.ts";
import { usageScenario } from "./scenarios/usage.ts";

export const SCENARIOS: readonly ConsoleScenario[] = [
  createScenario,
  secretsScenario,
  usageScenario,
  operatorScenario,
  accountScenario,
  changesScenario,
  ...agentsScenarios,
  faultsScenario,
];
