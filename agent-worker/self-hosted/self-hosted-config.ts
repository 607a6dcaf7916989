// The settings that the worker of a machine of its own gets.
import type { Config } from "../../program/config.ts";

export const SELF_HOSTED_PARTS = [
  "http",
  "selfHosted",
  "languageModel",
  "rendering",
  "outgoing",
  "disk",
  "log",
  "metrics",
  "traces",
] as const;

export type SelfHostedConfig = Pick<Config, (typeof SELF_HOSTED_PARTS)[number]>;
