// The catalogue in German.
import type { Texts } from "../en/index.ts";
import { account, shell, signIn } from "./shell.ts";

export const de: Texts = { account, shell, signIn };
