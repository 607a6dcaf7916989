// The voice of the api: one process for all requests and films. Its priority is lower than that of live sessions and
// their voice.
import type { Config } from "../../program/config.ts";
import type { Logger } from "../../program/log.ts";
import { DefaultVoice } from "../../src/speech/voice/default-voice.ts";
import { EspeakSynthesizer } from "../../src/speech/voice/espeak-synthesizer.ts";
import { EspeakVoice } from "../../src/speech/voice/espeak-voice.ts";
import { FetchedSynthesizer } from "../../src/speech/voice/fetched/fetched-synthesizer.ts";
import { FetchedVoice } from "../../src/speech/voice/fetched/fetched-voice.ts";
import { voicesFolder } from "../../src/speech/voice/fetched/fetched-voices.ts";
import { NeuralSynthesizer } from "../../src/speech/voice/neural/neural-synthesizer.ts";
import { NeuralVoice } from "../../src/speech/voice/neural/neural-voice.ts";
import { RemoteVoice } from "../../src/speech/voice/remote/remote-voice.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import { requestRemoteSpeech } from "../kernel/outgoing/remote-speech.ts";

/** The voice of live sessions runs at 5, films at 19: a caller waits for this one, but nothing stops if it is late. */
const NICENESS = 10;
/** The process of the neural voice takes 350 MB; it loads within two seconds. */
const IDLE_MS = 2 * 60_000;

/** Starts nothing before the first sentence. */
export function createServiceVoice({ disk, voice }: Pick<Config, "disk" | "voice">, logger: Logger): Voice {
  const { engine, remote } = voice;
  const options = { log: logger.child({ process: "voice" }), niceness: NICENESS, idleMs: IDLE_MS, processes: 1 };
  const formants = new EspeakSynthesizer(options);
  const sentences = new FetchedSynthesizer(options);
  return new DefaultVoice({
    engine,
    remote: remote && new RemoteVoice(remote, requestRemoteSpeech(remote)),
    fetched: new FetchedVoice({ folder: voicesFolder(disk.dataDir), sentences, formants }),
    neural: new NeuralVoice({ pieces: new NeuralSynthesizer(options), formants }),
    formant: new EspeakVoice(formants),
  });
}
