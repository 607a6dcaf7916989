// The catalogue in English: every text of the console. The other languages have the same entries.
import { account, shell, signIn } from "./shell.ts";

export const en = { account, shell, signIn };

export type Texts = typeof en;
