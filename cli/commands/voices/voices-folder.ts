// Where the fetched voices of the installation are that a command works on.
import { parseConfig } from "../../../program/config.ts";
import { voicesFolder } from "../../../src/speech/voice/fetched/fetched-voices.ts";
import type { Environment } from "../../terminal/environment.ts";

/** As the service started from here finds it. Throws for settings that the service refuses, too. */
export function voicesFolderOf(environment: Environment): string {
  return voicesFolder(parseConfig(environment, ["disk"]).disk.dataDir);
}
