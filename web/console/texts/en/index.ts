// The catalogue in English: every text of the console. The other languages have the same entries.
import { agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { films } from "./films.ts";
import { gestures } from "./gestures.ts";
import { knowledge } from "./knowledge.ts";
import { operator } from "./operator.ts";
import { secrets } from "./secrets.ts";
import { account, shell, signIn } from "./shell.ts";
import { usage } from "./usage.ts";
import { voices } from "./voices.ts";

export const en = {
  account,
  agents,
  create,
  films,
  gestures,
  knowledge,
  operator,
  secrets,
  shell,
  signIn,
  usage,
  voicePicker,
  voices,
};

export type Texts = typeof en;
