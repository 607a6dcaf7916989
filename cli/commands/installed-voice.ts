// The voice of the installation, for commands that speak: the operator's settings and fetched voices count.
import { parseConfig } from "../../shared/config.ts";
import { DefaultVoice } from "../../src/voice/default-voice.ts";
import { FetchedVoice } from "../../src/voice/fetched/fetched-voice.ts";
import { RemoteVoice } from "../../src/voice/remote/remote-voice.ts";
import { remoteVoiceSettings } from "../../src/voice/remote/remote-voice-settings.ts";
import type { Environment } from "../terminal/environment.ts";
import { voicesFolderOf } from "./voices-folder.ts";

/** Starts nothing before the first sentence. Close it. Throws for settings that the service refuses, too. */
export function installedVoice(environment: Environment): DefaultVoice {
  const config = parseConfig(environment);
  const remote = remoteVoiceSettings(config);
  return new DefaultVoice({
    engine: config.AVATAR_VOICE,
    remote: remote && new RemoteVoice(remote),
    fetched: new FetchedVoice({ folder: voicesFolderOf(environment) }),
  });
}
