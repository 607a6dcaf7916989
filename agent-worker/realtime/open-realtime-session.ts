// Opens a session of the realtime server with the parts of its worker. Import this module when a session begins: run
// from sources, it loads the agents framework.
import { randomUUID } from "node:crypto";
import type { Config } from "../../program/config.ts";
import type { Logger } from "../../program/log.ts";
import { TokenBucket } from "../../program/token-bucket.ts";
import { SERVICE_REALTIME_MODEL } from "../../shared/wire-names.ts";
import { LanguageModel } from "../../src/conversation/llm/language-model.ts";
import { PacedLlm } from "../../src/conversation/realtime/paced-llm.ts";
import { RealtimeSession } from "../../src/conversation/realtime/realtime-session.ts";
import { CALL_RATE } from "../../src/conversation/realtime/responses/answer-rates.ts";
import { TextSession } from "../../src/conversation/realtime/text-session.ts";
import type { ConversationFault } from "../../src/conversation/turns/conversation-listener.ts";
import { endOfTurnThreshold } from "../listening/end-of-turn-threshold.ts";
import { SpeechDetector } from "../listening/speech-detector.ts";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import type { ConversationServices } from "../tasks/conversation-services.ts";
import { openVoice, type WorkerVoices } from "../tasks/open-voice.ts";
import type { AccountBudgets } from "./account-budgets.ts";
import type { ConnectedSession } from "./realtime-connection.ts";
import type { OpenSession } from "./realtime-server.ts";
import type { SessionRequest } from "./session-request.ts";

export interface OpenRealtimeSessionOptions {
  request: SessionRequest;
  config: Pick<Config, "disk" | "voice">;
  services: Pick<ConversationServices, "warmUp" | "transcribe" | "predictTurnEnd">;
  voices: WorkerVoices;
  /** Of all sessions of the worker. */
  budgets: AccountBudgets;
  onEvent(event: WorkerSessionEvent): void;
  logger: Logger;
}

/** Loads what the session needs; what takes long, in the background. */
export async function openRealtimeSession(options: OpenRealtimeSessionOptions): Promise<OpenSession> {
  const { request, config, services, budgets, onEvent, logger } = options;
  const sessionId = randomUUID();
  const log = logger.child({ realtimeSessionId: sessionId });
  const { mode, isLanguageNamed, ...given } = request;
  const isTranscription = mode === "transcription";
  // Owners take turns at the recogniser; the free sessions of an account are one.
  const owner = isTranscription && request.user !== undefined ? `transcription:${request.user}` : sessionId;
  const settings = await services.warmUp(mode !== "text");
  const onFault = (part: ConversationFault, error: unknown): void => {
    log.warn({ part, err: error }, "part of the realtime session failed");
    onEvent({ type: "conversation-fault", part, sessionId });
  };
  const voice = openVoice(config, options.voices, sessionId);
  if (mode === "audio") voice.warmUp?.(request.language);
  return (send, onEnd) => {
    // Without an account, the session stands for one.
    const { budget, release } = budgets.hold(request.user ?? sessionId);
    const llm =
      settings && !isTranscription
        ? new PacedLlm(new LanguageModel(settings), [new TokenBucket(CALL_RATE), budget])
        : null;
    if (mode === "text") {
      return closingWith(new TextSession({ ...given, llm, send, onEnd, onFault }), release);
    }
    const session = new RealtimeSession({
      ...given,
      model: SERVICE_REALTIME_MODEL,
      isTranscription,
      expectedLanguage: isTranscription && !isLanguageNamed ? undefined : request.language,
      stt: {
        transcribe: (samples, { language, signal }) => services.transcribe({ samples, language }, owner, signal),
      },
      endOfTurn: {
        predict: (samples) => services.predictTurnEnd({ samples }, sessionId),
        threshold: endOfTurnThreshold,
      },
      llm,
      voice,
      openDetector: (onWindow) => new SpeechDetector({ onWindow }),
      send,
      onTurn: (times) => {
        log.info(times, "turn answered");
        onEvent({ type: "turn", times, sessionId });
      },
      onFault,
    });
    return closingWith(session, release);
  };
}

/** The session; its `close` calls `onClosed` too. */
function closingWith(session: ConnectedSession, onClosed: () => void): ConnectedSession {
  return {
    start: () => session.start(),
    receive: (event) => session.receive(event),
    refuse: (message, code) => session.refuse(message, code),
    close: () => {
      session.close();
      onClosed();
    },
  };
}
