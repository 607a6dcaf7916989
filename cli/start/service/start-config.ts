// The settings that starting the whole service needs.
import { type Config, ConfigError, parseConfig } from "../../../program/config.ts";
import { StartError } from "../start-error.ts";

const PARTS = [
  "http",
  "pages",
  "database",
  "disk",
  "operator",
  "clock",
  "livekit",
  "embeddedLiveKit",
  "languageModel",
  "realtime",
  "relay",
  "worker",
  "metrics",
] as const;
export type StartConfig = Pick<Config, (typeof PARTS)[number]>;

/** Throws StartError for settings that cannot be used. */
export function readStartConfig(environment: Record<string, string | undefined>): StartConfig {
  try {
    return parseConfig(environment, PARTS);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new StartError(error.message, ".env.example describes each setting.");
  }
}
