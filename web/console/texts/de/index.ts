// The catalogue in German.
import type { Texts } from "../en/index.ts";
import { agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { operator } from "./operator.ts";
import { secrets } from "./secrets.ts";
import { account, shell, signIn } from "./shell.ts";
import { usage } from "./usage.ts";

export const de: Texts = { account, agents, create, operator, secrets, shell, signIn, usage, voicePicker };
