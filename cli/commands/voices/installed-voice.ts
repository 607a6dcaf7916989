// The voice of the installation, for commands that speak: the operator's settings and fetched voices count.
import { parseConfig } from "../../../program/config.ts";
import { DefaultVoice } from "../../../src/speech/voice/default-voice.ts";
import { FetchedVoice } from "../../../src/speech/voice/fetched/fetched-voice.ts";
import { RemoteVoice } from "../../../src/speech/voice/remote/remote-voice.ts";
import type { Environment } from "../../terminal/environment.ts";
import { voicesFolderOf } from "./voices-folder.ts";

/** Starts nothing before the first sentence. Close it. Throws for settings that the service refuses, too. */
export function installedVoice(environment: Environment): DefaultVoice {
  const { engine, remote } = parseConfig(environment, ["voice"]).voice;
  return new DefaultVoice({
    engine,
    remote: remote && new RemoteVoice(remote),
    fetched: new FetchedVoice({ folder: voicesFolderOf(environment) }),
  });
}
