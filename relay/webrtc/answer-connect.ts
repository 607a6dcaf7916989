// Answers requests to /v1/realtime/connect.
import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_CALL } from "../../shared/wire-names.ts";
import type { ApiClient } from "../api-client.ts";
import type { ClientRequest } from "../client-request.ts";
import type { RelayCall } from "../relay-call.ts";
import type { PeerSettings } from "./answer-peer.ts";
import { cleanOffer } from "./clean-offer.ts";
import { CONNECT_PATH, CORS_HEADERS, PREFLIGHT_HEADERS, readConnectRequest } from "./connect-request.ts";
import type { WebRtcPeers } from "./webrtc-peers.ts";

export interface ConnectOptions {
  message: IncomingMessage;
  response: ServerResponse;
  request: ClientRequest;
  requestId: string;
  api: Pick<ApiClient, "hangUp">;
  settings: PeerSettings;
  peers: Pick<WebRtcPeers, "answer">;
  /** Opens a call of that model; null: the default. `isTranscription`: what is said is to be written down, and no more.
   *  Throws the refusal. */
  admit(model: string | null, isTranscription?: boolean): Promise<RelayCall>;
  /** Ends a call of this relay, if it has that one. */
  hangUp(callId: string): void;
}

/** Throws what the relay refuses with. Answers everything else. */
export async function answerConnect(options: ConnectOptions): Promise<void> {
  const { message, response, request, requestId, api } = options;
  if (message.method === "OPTIONS") {
    message.resume();
    response.writeHead(204, { ...CORS_HEADERS, ...PREFLIGHT_HEADERS }).end();
    return;
  }
  if (message.method !== "POST") {
    message.resume();
    throw new ServiceError("NOT_FOUND", `No endpoint ${message.method} ${request.path}`);
  }
  const wanted = await readConnectRequest(message, request.path);
  if (wanted.kind === "hangup") {
    await api.hangUp({ caller: request.caller, call_id: wanted.callId });
    // It may be held by another relay, which is told by the api.
    options.hangUp(wanted.callId);
    const json = JSON.stringify({ success: true, call: wanted.callId });
    response
      .writeHead(200, { ...CORS_HEADERS, "Content-Type": "application/json; charset=utf-8", "X-Request-Id": requestId })
      .end(json);
    return;
  }
  const offer = cleanOffer(wanted.offer);
  const call = await options.admit(request.model ?? wanted.model ?? null, wanted.isTranscription);
  let answer: string;
  try {
    answer = await options.peers.answer({ call, offer, session: wanted.session, ...options.settings });
  } catch (error) {
    call.end({ reason: "client_closed", code: 1006, text: "" });
    throw error;
  }
  const headers = {
    ...CORS_HEADERS,
    "Content-Type": "application/sdp",
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
    [HEADER_CALL]: call.id,
    // As OpenAI's server names a call.
    Location: `${CONNECT_PATH}/${call.id}`,
  };
  response.writeHead(201, headers).end(answer);
}
