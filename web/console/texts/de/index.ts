// The catalogue in German.
import type { Texts } from "../en/index.ts";
import { agents, voicePicker } from "./agents.ts";
import { create } from "./create.ts";
import { secrets } from "./secrets.ts";
import { account, shell, signIn } from "./shell.ts";

export const de: Texts = { account, agents, create, secrets, shell, signIn, voicePicker };
