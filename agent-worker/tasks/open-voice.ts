// The voice of the service as one that speaks for a session: sentences are made by the worker's synthesizers, which
// all sessions share.
import type { Config } from "../../program/config.ts";
import { DefaultVoice } from "../../src/speech/voice/default-voice.ts";
import type { SentenceTask } from "../../src/speech/voice/espeak-messages.ts";
import { EspeakVoice } from "../../src/speech/voice/espeak-voice.ts";
import type { FetchedTask } from "../../src/speech/voice/fetched/fetched-messages.ts";
import { FetchedVoice } from "../../src/speech/voice/fetched/fetched-voice.ts";
import { voicesFolder } from "../../src/speech/voice/fetched/fetched-voices.ts";
import type { PieceTask } from "../../src/speech/voice/neural/neural-messages.ts";
import { NeuralVoice } from "../../src/speech/voice/neural/neural-voice.ts";
import { RemoteVoice } from "../../src/speech/voice/remote/remote-voice.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import type { TaskHandlers } from "./worker-tasks.ts";

/** The worker's synthesizers. */
export interface WorkerVoices extends Pick<TaskHandlers, "speak" | "makePiece"> {
  warmUp(engine: "neural" | "formant"): void;
}

/** `owner`: the session's id. Closing the voice closes nothing. */
export function openVoice(
  { disk, voice }: Pick<Config, "disk" | "voice">,
  { speak, makePiece, warmUp }: WorkerVoices,
  owner: string,
): Voice {
  const close = async (): Promise<void> => undefined;
  const formants = {
    speak: (task: SentenceTask) => speak(task, owner),
    warmUp: () => warmUp("formant"),
    close,
  };
  const pieces = {
    speak: (task: PieceTask | FetchedTask) => makePiece(task, owner),
    warmUp: () => warmUp("neural"),
    close,
  };
  const { engine, remote } = voice;
  return new DefaultVoice({
    engine,
    remote: remote && new RemoteVoice(remote),
    neural: new NeuralVoice({ pieces, formants }),
    formant: new EspeakVoice(formants),
    fetched: new FetchedVoice({ folder: voicesFolder(disk.dataDir), sentences: pieces, formants }),
  });
}
