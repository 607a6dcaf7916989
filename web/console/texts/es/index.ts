// The catalogue in Spanish.
import type { Texts } from "../en/index.ts";
import { account, shell, signIn } from "./shell.ts";

export const es: Texts = { account, shell, signIn };
