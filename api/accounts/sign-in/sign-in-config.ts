import type { Config } from "../../../program/config.ts";

export type SignInConfig = Config["signIn"];
