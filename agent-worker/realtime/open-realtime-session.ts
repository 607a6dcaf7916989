// Opens a session of the realtime server with the parts of its worker. Import this module when a session begins: run
// from sources, it loads the agents framework.
import { randomUUID } from "node:crypto";
import type { Config } from "../../shared/config.ts";
import type { Logger } from "../../shared/log.ts";
import { SERVICE_REALTIME_MODEL } from "../../shared/wire-names.ts";
import type { ConversationFault, TurnTimes } from "../../src/conversation/conversation-listener.ts";
import { Mind } from "../../src/mind/mind.ts";
import { RealtimeSession } from "../../src/realtime/realtime-session.ts";
import { TextSession } from "../../src/realtime/text-session.ts";
import { DefaultVoice } from "../../src/voice/default-voice.ts";
import type { SentenceTask, SpokenSamples } from "../../src/voice/espeak-messages.ts";
import { EspeakVoice } from "../../src/voice/espeak-voice.ts";
import type { FetchedTask } from "../../src/voice/fetched/fetched-messages.ts";
import { FetchedVoice } from "../../src/voice/fetched/fetched-voice.ts";
import { voicesFolder } from "../../src/voice/fetched/fetched-voices.ts";
import type { PieceAudio, PieceTask } from "../../src/voice/neural/neural-messages.ts";
import { NeuralVoice } from "../../src/voice/neural/neural-voice.ts";
import { RemoteVoice } from "../../src/voice/remote/remote-voice.ts";
import { remoteVoiceSettings } from "../../src/voice/remote/remote-voice-settings.ts";
import type { Voice } from "../../src/voice/voice.ts";
import type { ConversationServices } from "../conversation/conversation-services.ts";
import { endOfTurnThreshold } from "../listening/end-of-turn-threshold.ts";
import { SpeechDetector } from "../listening/speech-detector.ts";
import type { OpenSession } from "./realtime-server.ts";
import type { SessionRequest } from "./session-request.ts";

/** The worker's synthesizers. `owner`: owners take turns. */
export interface WorkerVoices {
  speak(task: SentenceTask, owner: string): Promise<SpokenSamples>;
  makePiece(task: PieceTask | FetchedTask, owner: string): Promise<PieceAudio>;
  warmUp(engine: "neural" | "formant"): void;
}

export interface OpenRealtimeSessionOptions {
  request: SessionRequest;
  config: Config;
  services: Pick<ConversationServices, "warmUp" | "hear" | "predictTurnEnd">;
  voices: WorkerVoices;
  onTurn(times: TurnTimes): void;
  onFault(part: ConversationFault): void;
  logger: Logger;
}

/** Loads what the session needs; what takes long, in the background. */
export async function openRealtimeSession(options: OpenRealtimeSessionOptions): Promise<OpenSession> {
  const { request, config, services, onTurn, logger } = options;
  const owner = randomUUID();
  const log = logger.child({ realtimeSessionId: owner });
  const { mode, ...given } = request;
  const settings = await services.warmUp(mode === "audio");
  const mind = settings && new Mind(settings);
  const onFault = (part: ConversationFault, error: unknown): void => {
    log.warn({ part, err: error }, "part of the realtime session failed");
    options.onFault(part);
  };
  if (mode === "text") return (send, onEnd) => new TextSession({ ...given, mind, send, onEnd, onFault });
  const voice = openVoice(config, options.voices, owner);
  voice.warmUp?.(request.language);
  return (send) =>
    new RealtimeSession({
      ...given,
      model: SERVICE_REALTIME_MODEL,
      ears: { transcribe: (samples, { language, signal }) => services.hear(samples, { language, signal, owner }) },
      endOfTurn: {
        predict: (samples) => services.predictTurnEnd({ samples }, owner),
        threshold: endOfTurnThreshold,
      },
      mind,
      voice,
      openDetector: (onWindow) => new SpeechDetector({ onWindow }),
      send,
      onTurn: (times) => {
        log.info(times, "turn answered");
        onTurn(times);
      },
      onFault,
    });
}

/** The worker's voices as one that speaks for this session. Closing it closes nothing. */
function openVoice(config: Config, { speak, makePiece, warmUp }: WorkerVoices, owner: string): Voice {
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
  const remote = remoteVoiceSettings(config);
  return new DefaultVoice({
    engine: config.AVATAR_VOICE,
    remote: remote && new RemoteVoice(remote),
    neural: new NeuralVoice({ pieces, formants }),
    formant: new EspeakVoice(formants),
    fetched: new FetchedVoice({ folder: voicesFolder(config.AVATAR_DATA_DIR), sentences: pieces, formants }),
  });
}
