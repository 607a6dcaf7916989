// Requests of a session to servers of its account. Every connection passes the address guard, at the address that is
// dialled, and no redirect is followed, so that a key reaches no other server.
import { type Dispatcher, request } from "undici";
import { type AddressGuard, createAddressGuard, type GuardPolicy } from "../../shared/outgoing/address-guard.ts";
import { createGuardedAgent } from "../../shared/outgoing/guarded-connector.ts";
import { chatRequest, type MindSettings, type RequestChat } from "../../src/mind/request-chat.ts";
import {
  type RequestTranscription,
  readTranscription,
  type TranscriptionSettings,
  transcriptionRequest,
} from "../../src/recognition/transcription-client.ts";
import type { RemoteVoiceSettings } from "../../src/voice/remote/remote-voice-settings.ts";
import { type RequestSpeech, speechRequest } from "../../src/voice/remote/request-speech.ts";

const PROTOCOLS = ["https:", "http:"];

interface Post {
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  signal: AbortSignal;
}

export class ProviderRequests {
  readonly #guard: AddressGuard;
  readonly #agent: Dispatcher;

  /** Connects with the first request. */
  constructor(policy: GuardPolicy) {
    this.#guard = createAddressGuard(policy);
    this.#agent = createGuardedAgent(this.#guard);
  }

  chat(settings: Pick<MindSettings, "baseUrl" | "apiKey">): RequestChat {
    const { url, headers: own } = chatRequest(settings);
    return async (body, further, signal) => {
      const { statusCode: status, body: answer } = await this.#post(url, {
        headers: { ...further, ...own },
        body,
        signal,
      });
      return { status, body: answer };
    };
  }

  transcription(settings: Pick<TranscriptionSettings, "baseUrl" | "apiKey">): RequestTranscription {
    const { url, headers } = transcriptionRequest(settings);
    return async (form, signal) => {
      // Node writes the form; undici takes forms of its own alone.
      const written = new Response(form);
      const type = { "content-type": written.headers.get("content-type") ?? "" };
      const body = new Uint8Array(await written.arrayBuffer());
      const sent = { headers: { ...headers, ...type }, body, signal };
      const { statusCode: status, body: answer } = await this.#post(url, sent);
      return { status, text: await readTranscription(answer) };
    };
  }

  speech(settings: RemoteVoiceSettings): RequestSpeech {
    const { url, headers } = speechRequest(settings);
    return async (body, signal) => {
      const { statusCode: status, headers: told, body: answer } = await this.#post(url, { headers, body, signal });
      return { status, contentType: String(told["content-type"] ?? ""), body: answer };
    };
  }

  /** Drops all connections. Idempotent. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(url: string, { headers, body, signal }: Post): Promise<Dispatcher.ResponseData> {
    const target = this.#guard.parseUrl(url, PROTOCOLS);
    const answer = await request(target, { method: "POST", dispatcher: this.#agent, headers, body, signal });
    // An answer that is not read to its end is aborted. Its reader has the error, if there is one.
    answer.body.on("error", () => undefined);
    return answer;
  }
}
