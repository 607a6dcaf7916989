// One request to a server with the OpenAI protocol's `/audio/speech`.
import type { RemoteVoiceSettings } from "./remote-voice-settings.ts";

export interface SpeechAnswer {
  status: number;
  /** As the server declares it; empty without a declaration. */
  contentType: string;
  /** Rejects if the server breaks off. */
  body: AsyncIterable<Uint8Array>;
}

/** Sends the JSON of a request and resolves with the head of the answer. Rejects if the server is not reached, and with
 *  the signal's reason, also while the body is read. */
export type RequestSpeech = (json: string, signal: AbortSignal) => Promise<SpeechAnswer>;

/** Address and headers of the requests. */
export function speechRequest({ baseUrl, apiKey }: RemoteVoiceSettings): {
  url: string;
  headers: Record<string, string>;
} {
  return {
    url: `${baseUrl.replace(/\/+$/, "")}/audio/speech`,
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
  };
}

/** Sends requests to the operator's server and to no other: redirects are refused. */
export function fetchSpeech(settings: RemoteVoiceSettings): RequestSpeech {
  const { url, headers } = speechRequest(settings);
  return async (body, signal) => {
    const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    const contentType = answer.headers.get("content-type") ?? "";
    return { status: answer.status, contentType, body: answer.body ?? noBytes() };
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
