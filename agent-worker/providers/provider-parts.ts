// What a session gets of its account's own servers: language model, speech recognition and voice.
import type { Logger } from "../../program/log.ts";
import { createAddressGuard, type GuardPolicy } from "../../program/outgoing/address-guard.ts";
import type { ProviderKind } from "../../shared/provider-kinds.ts";
import type { JobProvider, JobProviders } from "../../shared/runtime-api.ts";
import { LanguageModel } from "../../src/conversation/llm/language-model.ts";
import type { ConversationFault } from "../../src/conversation/turns/conversation-listener.ts";
import type { ConversationLlm, ConversationStt } from "../../src/conversation/turns/conversation-parts.ts";
import { TranscriptionClient } from "../../src/speech/recognition/transcription-client.ts";
import { REMOTE_VOICE_RATE_HZ, RemoteVoice } from "../../src/speech/voice/remote/remote-voice.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import { connectProvider } from "./provider-realtime.ts";
import { ProviderRequests } from "./provider-requests.ts";
import { ProviderStt } from "./provider-stt.ts";
import { ProviderVoice } from "./provider-voice.ts";
import type { RealtimeProvider } from "./realtime-link.ts";

/** A person who waits for an answer waits no longer for either. */
const TIMEOUT_MS = 6_000;

export interface ProviderPartsOptions {
  providers: JobProviders;
  /** Which addresses the servers may have. */
  policy: GuardPolicy;
  /** Speech recognition or voice have failed, and the service's own take over. */
  onFault(part: ConversationFault): void;
  /** Longest wait for a text, ms. The service's own recognition gets the audio after that. Default 6,000. */
  sttTimeoutMs?: number;
  /** Longest silence of a voice server, ms. The service's voice speaks after that. Default 6,000. */
  voiceTimeoutMs?: number;
  logger: Logger;
}

/** A member for each kind. */
export class ProviderParts implements Record<ProviderKind, unknown> {
  readonly #options: ProviderPartsOptions;
  readonly #requests: ProviderRequests;
  /** The account's language model; null if it has chosen none. */
  readonly llm: ConversationLlm | null;

  /** Connects with the first use. */
  constructor(options: ProviderPartsOptions) {
    this.#options = options;
    this.#requests = new ProviderRequests(options.policy);
    const { llm } = options.providers;
    this.llm = llm ? new LanguageModel(serverOf(llm), { request: this.#requests.chat(serverOf(llm)) }) : null;
  }

  /** The account's realtime server; null if it has chosen none. */
  get realtime(): RealtimeProvider | null {
    const { realtime } = this.#options.providers;
    return realtime
      ? { connect: connectProvider(createAddressGuard(this.#options.policy), realtime), voice: realtime.voice }
      : null;
  }

  /** The account's speech recognition if it has chosen one, else the given one. */
  stt(own: ConversationStt): ConversationStt {
    const { providers, sttTimeoutMs: timeoutMs = TIMEOUT_MS } = this.#options;
    const { stt } = providers;
    if (!stt) return own;
    const settings = { ...serverOf(stt), timeoutMs };
    const provider = new TranscriptionClient(settings, this.#requests.transcription(settings));
    return new ProviderStt({ provider, own, onFault: this.#faultsOf("stt", stt) });
  }

  /** The account's voice if it has chosen one, else the given one. */
  tts(own: Voice): Voice {
    const { providers, voiceTimeoutMs: timeoutMs = TIMEOUT_MS } = this.#options;
    const { tts } = providers;
    if (!tts) return own;
    const settings = { ...serverOf(tts), names: {}, timeoutMs };
    const provider = new RemoteVoice(settings, this.#requests.speech(settings));
    const { voice: voiceId = "" } = tts;
    const onFault = this.#faultsOf("voice", tts);
    return new ProviderVoice({ provider, voiceId, sampleRateHz: REMOTE_VOICE_RATE_HZ, own, onFault });
  }

  /** Idempotent. */
  close(): void {
    this.#requests.close();
  }

  #faultsOf(part: ConversationFault, { provider_id: providerId }: JobProvider): (error: unknown) => void {
    const { logger, onFault } = this.#options;
    return (error) => {
      logger.warn({ part, providerId, err: error }, "provider failed, own part used");
      onFault(part);
    };
  }
}

function serverOf({ base_url: baseUrl, api_key: apiKey, model }: JobProvider) {
  return { baseUrl, apiKey, model };
}
