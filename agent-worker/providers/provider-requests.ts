// Requests of a session to servers of its account: chat, transcription and speech.
import { type AddressGuard, createAddressGuard, type GuardPolicy } from "../../program/outgoing/address-guard.ts";
import { chatRequest, type LlmSettings, type RequestChat } from "../../src/conversation/llm/request-chat.ts";
import {
  type RequestTranscription,
  readTranscription,
  type TranscriptionSettings,
  transcriptionRequest,
} from "../../src/speech/recognition/transcription-client.ts";
import type { RemoteVoiceSettings } from "../../src/speech/voice/remote/remote-voice-settings.ts";
import { type RequestSpeech, speechRequest } from "../../src/speech/voice/remote/request-speech.ts";
import { GuardedServer } from "./guarded-server.ts";

export class ProviderRequests {
  readonly #guard: AddressGuard;
  readonly #servers: GuardedServer[] = [];

  /** Connects with the first request. */
  constructor(policy: GuardPolicy) {
    this.#guard = createAddressGuard(policy);
  }

  chat(settings: Pick<LlmSettings, "baseUrl" | "apiKey">): RequestChat {
    const { url, headers: own } = chatRequest(settings);
    const server = this.#open(url);
    return async (body, further, signal) => {
      const answer = await server.post({ headers: { ...further, ...own }, body, signal });
      return { status: answer.statusCode ?? 0, body: answer };
    };
  }

  transcription(settings: Pick<TranscriptionSettings, "baseUrl" | "apiKey">): RequestTranscription {
    const { url, headers } = transcriptionRequest(settings);
    const server = this.#open(url);
    return async (form, signal) => {
      const written = new Response(form);
      const type = { "content-type": written.headers.get("content-type") ?? "" };
      const body = new Uint8Array(await written.arrayBuffer());
      const answer = await server.post({ headers: { ...headers, ...type }, body, signal });
      return { status: answer.statusCode ?? 0, text: await readTranscription(answer) };
    };
  }

  speech(settings: RemoteVoiceSettings): RequestSpeech {
    const { url, headers } = speechRequest(settings);
    const server = this.#open(url);
    return async (body, signal) => {
      const answer = await server.post({ headers, body, signal });
      return { status: answer.statusCode ?? 0, contentType: answer.headers["content-type"] ?? "", body: answer };
    };
  }

  /** Drops all connections. Idempotent. */
  close(): void {
    for (const server of this.#servers) server.close();
  }

  #open(url: string): GuardedServer {
    const server = new GuardedServer(this.#guard, url);
    this.#servers.push(server);
    return server;
  }
}
