// Requests to the operator's voice server, through the guarded client. It may have a private address, which callers'
// URLs may not, so it has a client of its own.
import { portOf } from "../../../program/outgoing/address-rules.ts";
import { createOutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import type { RemoteVoiceSettings } from "../../../src/speech/voice/remote/remote-voice-settings.ts";
import { type RequestSpeech, speechRequest } from "../../../src/speech/voice/remote/request-speech.ts";

/** Does not connect before the first request. Rejects as `OutgoingClient.stream`. */
export function requestRemoteSpeech(settings: RemoteVoiceSettings): RequestSpeech {
  const { url, headers } = speechRequest(settings);
  const base = new URL(url);
  const client = createOutgoingClient({ allowHosts: [`${base.hostname.replace(/^\[|\]$/g, "")}:${portOf(base)}`] });
  return (body, signal) => client.stream(url, { headers, body, signal });
}
