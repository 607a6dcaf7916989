// The scenarios of the console.
import type { ConsoleScenario } from "./console-scenario.ts";
import { accountScenario } from "./scenarios/account.ts";
import { agentsScenarios } from "./scenarios/agents.ts";
import { changesScenario } from "./scenarios/changes.ts";
import { createScenario } from "./scenarios/create.ts";
import { faultsScenarios } from "./scenarios/faults.ts";
import { filmsScenario } from "./scenarios/films.ts";
import { gesturesScenario } from "./scenarios/gestures.ts";
import { knowledgeScenario } from "./scenarios/knowledge.ts";
import { operatorScenario } from "./scenarios/operator.ts";
import { organizationsScenario } from "./scenarios/organizations.ts";
import { playerScenario } from "./scenarios/player.ts";
import { secretsScenario } from "./scenarios/secrets.ts";
import { sessionsScenarios } from "./scenarios/sessions.ts";
import { shareScenario } from "./scenarios/share.ts";
import { talkScenario } from "./scenarios/talk.ts";
import { tasksScenario } from "./scenarios/tasks.ts";
import { usageScenario } from "./scenarios/usage.ts";
import { voicesScenario } from "./scenarios/voices.ts";
import { webhooksScenario } from "./scenarios/webhooks.ts";

/** Of each view, in the order of the menu. */
export const VIEW_SCENARIOS: readonly ConsoleScenario[] = [
  createScenario,
  ...agentsScenarios,
  talkScenario,
  ...sessionsScenarios,
  filmsScenario,
  voicesScenario,
  gesturesScenario,
  playerScenario,
  shareScenario,
  knowledgeScenario,
  usageScenario,
  secretsScenario,
  webhooksScenario,
  organizationsScenario,
  operatorScenario,
  accountScenario,
];

/** What concerns all views. */
export const COMMON_SCENARIOS: readonly ConsoleScenario[] = [changesScenario, ...faultsScenarios, tasksScenario];
