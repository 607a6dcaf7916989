// The catalogue in English: every text of the console. The other languages have the same entries.
import { agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { secrets } from "./secrets.ts";
import { account, shell, signIn } from "./shell.ts";

export const en = { account, agents, create, secrets, shell, signIn, voicePicker };

export type Texts = typeof en;
