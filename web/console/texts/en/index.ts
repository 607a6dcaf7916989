// The catalogue in English: every text of the console. The other languages have the same entries.
import { agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { operator } from "./operator.ts";
import { secrets } from "./secrets.ts";
import { account, shell, signIn } from "./shell.ts";
import { usage } from "./usage.ts";

export const en = { account, agents, create, operator, secrets, shell, signIn, usage, voicePicker };

export type Texts = typeof en;
