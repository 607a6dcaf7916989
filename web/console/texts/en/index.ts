// The catalogue in English: every text of the console. The other languages have the same entries.
import { serviceWords } from "../../../shared/service-words/service-words.ts";
import { agentPage, agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { films } from "./films.ts";
import { gestures } from "./gestures.ts";
import { knowledge } from "./knowledge.ts";
import { operator } from "./operator.ts";
import { organizations } from "./organizations.ts";
import { player } from "./player.ts";
import { secrets } from "./secrets.ts";
import { sessions } from "./sessions.ts";
import { share } from "./share.ts";
import { account, shell, signIn } from "./shell.ts";
import { talk } from "./talk.ts";
import { usage } from "./usage.ts";
import { voices } from "./voices.ts";
import { webhooks } from "./webhooks.ts";

export const en = {
  account,
  agentPage,
  agents,
  create,
  films,
  gestures,
  knowledge,
  operator,
  player,
  secrets,
  /** What the service says is in English. */
  service: serviceWords(),
  sessions,
  share,
  shell,
  signIn,
  talk,
  usage,
  voicePicker,
  voices,
  organizations,
  webhooks,
};

export type Texts = typeof en;
