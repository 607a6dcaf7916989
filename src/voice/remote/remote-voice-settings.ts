// How the operator configures a remote voice.
import type { Config } from "../../../shared/config.ts";

export interface RemoteVoiceSettings {
  /** Base URL including the version, for example `http://127.0.0.1:8880/v1`. */
  baseUrl: string;
  /** Sent as Bearer; absent for servers without keys. */
  apiKey?: string;
  /** The server's name of its model. */
  model: string;
  /** The server's names of our voices. A voice that is missing here is sent by its own id. */
  names: Readonly<Record<string, string>>;
  /** Longest wait for the server's next audio, ms. */
  timeoutMs: number;
}

/** The settings of a configuration; undefined unless `AVATAR_VOICE` is `remote`. */
export function remoteVoiceSettings(
  config: Pick<
    Config,
    | "AVATAR_VOICE"
    | "AVATAR_VOICE_URL"
    | "AVATAR_VOICE_KEY"
    | "AVATAR_VOICE_MODEL"
    | "AVATAR_VOICE_NAMES"
    | "AVATAR_VOICE_TIMEOUT_SECONDS"
  >,
): RemoteVoiceSettings | undefined {
  const { AVATAR_VOICE: engine, AVATAR_VOICE_URL: baseUrl } = config;
  if (engine !== "remote" || baseUrl === undefined) return undefined;
  return {
    baseUrl,
    apiKey: config.AVATAR_VOICE_KEY,
    model: config.AVATAR_VOICE_MODEL,
    names: config.AVATAR_VOICE_NAMES,
    timeoutMs: 1000 * config.AVATAR_VOICE_TIMEOUT_SECONDS,
  };
}
