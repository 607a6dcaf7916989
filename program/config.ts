// Turns an environment object into frozen, typed parts; reports every problem at once. Durations are in ms, sizes in
// bytes. `.env.example` says what each setting is for; a test compares the two.
import type { z } from "zod";
import { avatarSettings, renderingSettings } from "./config/avatar-settings.ts";
import { httpSettings, pageSettings } from "./config/http-settings.ts";
import { isOneLetterAway } from "./config/is-one-letter-away.ts";
import { embeddedLiveKitSettings, liveKitSettings } from "./config/livekit-settings.ts";
import { embeddingSettings, imageModelSettings, languageModelSettings } from "./config/model-settings.ts";
import { clockSettings, operatorSettings } from "./config/operator-settings.ts";
import { outgoingSettings } from "./config/outgoing-settings.ts";
import { partsSettings } from "./config/parts-settings.ts";
import { realtimeSettings } from "./config/realtime-settings.ts";
import { relaySettings } from "./config/relay-settings.ts";
import { signInSettings } from "./config/sign-in-settings.ts";
import { bucketSettings, databaseSettings, diskSettings, retentionSettings } from "./config/storage-settings.ts";
import { logSettings, metricsSettings, traceSettings } from "./config/telemetry-settings.ts";
import { voiceSettings } from "./config/voice-settings.ts";
import { selfHostedSettings, workerSettings } from "./config/worker-settings.ts";

const PARTS = {
  http: httpSettings,
  pages: pageSettings,
  database: databaseSettings,
  disk: diskSettings,
  bucket: bucketSettings,
  retention: retentionSettings,
  operator: operatorSettings,
  signIn: signInSettings,
  clock: clockSettings,
  livekit: liveKitSettings,
  embeddedLiveKit: embeddedLiveKitSettings,
  languageModel: languageModelSettings,
  embeddings: embeddingSettings,
  imageModel: imageModelSettings,
  realtime: realtimeSettings,
  voice: voiceSettings,
  avatars: avatarSettings,
  rendering: renderingSettings,
  outgoing: outgoingSettings,
  relay: relaySettings,
  worker: workerSettings,
  selfHosted: selfHostedSettings,
  log: logSettings,
  metrics: metricsSettings,
  traces: traceSettings,
  parts: partsSettings,
};

type Part = keyof typeof PARTS;

/** All settings, by part. A program gets those that it needs: `Pick<Config, "http" | …>`. */
export type Config = { readonly [Name in Part]: Readonly<z.output<(typeof PARTS)[Name]>> };

/** Names of the settings that some parts need. Default: all that the service reads. */
export function settingNames(parts = Object.keys(PARTS) as readonly Part[]): string[] {
  return [...new Set(parts.flatMap((part) => Object.keys(PARTS[part].in.shape)))];
}
const SETTING_NAMES: readonly string[] = settingNames();

/** Thrown when the environment is unusable; the message lists every problem, one a line. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The environment has ${problems.length} problem(s):\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Names of fewer letters have neighbours that other programs use: `POST` is one letter away from `PORT`. */
const LEAST_LETTERS = 6;

/** The parts of the settings that `names` lists; default: all. The whole environment is checked in any case. Empty
 *  values count as absent. A name one letter away from a setting is a problem, and so is an unknown one under
 *  `AVATAR_`. Throws ConfigError. */
export function parseConfig<Name extends Part = Part>(
  environment: Record<string, string | undefined>,
  names: readonly Name[] = Object.keys(PARTS) as Name[],
): Pick<Config, Name> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  // Two parts may read the same setting.
  const problems = new Set(Object.keys(environment).flatMap((name) => misspelling(name, given[name] !== undefined)));
  const parts = Object.entries(PARTS).map(([name, part]) => {
    const { data, error } = part.safeParse(given);
    for (const issue of error?.issues ?? []) problems.add(`${issue.path.join(".")}: ${issue.message}`);
    return [name, Object.freeze(data)] as const;
  });
  if (problems.size > 0) throw new ConfigError([...problems]);
  const isNamed = ([name]: readonly [string, unknown]) => names.some((wanted) => wanted === name);
  return Object.freeze(Object.fromEntries(parts.filter(isNamed))) as Pick<Config, Name>;
}

/** The problem with a name that is no setting, if it is one. `isSet`: to more than an empty value. */
function misspelling(name: string, isSet: boolean): string[] {
  if (SETTING_NAMES.includes(name)) return [];
  const isMeant = (setting: string) => setting.length >= LEAST_LETTERS && isOneLetterAway(name, setting);
  const meant = isSet ? SETTING_NAMES.find(isMeant) : undefined;
  if (meant !== undefined) return [`${name} is not a setting of this service: did you mean ${meant}?`];
  return name.startsWith("AVATAR_") ? [`${name} is not a setting of this service`] : [];
}
