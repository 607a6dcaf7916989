// POST /v1/realtime/connect: an SDP offer opens a call over WebRTC, and JSON hangs one up. Pages of other sites may
// send both: the credential is in a header, and never in a cookie.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET, HEADER_CALL } from "../../shared/wire-names.ts";
import { MAX_OFFER_BYTES } from "./clean-offer.ts";

export const CONNECT_PATH = "/v1/realtime/connect";
/** A body that is slower than this is given up, ms. */
const BODY_MS = 10_000;
const PREFLIGHT_SECONDS = 86_400;

/** For every answer, refusals too. */
export const CORS_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": `${HEADER_CALL}, X-Request-Id, Retry-After`,
});

/** Further headers of the answer to a preflight. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers": `authorization, ${HEADER_API_SECRET}, content-type, openai-beta, openai-safety-identifier, x-client-request-id`,
  "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
});

const hangupSchema = z.object({ action: z.literal("hangup"), call: z.string().min(1).max(200) });

export type ConnectRequest = { kind: "offer"; offer: string } | { kind: "hangup"; callId: string };

/** Reads the body. Throws ServiceError: UNSUPPORTED_TYPE, FILE_TOO_LARGE, VALIDATION_ERROR. */
export async function readConnectRequest(message: IncomingMessage): Promise<ConnectRequest> {
  const type = (message.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (type !== "application/sdp" && type !== "application/json") {
    message.resume();
    throw new ServiceError("UNSUPPORTED_TYPE", "The body must be application/sdp, or application/json to hang up.");
  }
  const text = await readText(message);
  if (type === "application/sdp") return { kind: "offer", offer: text };
  const { success, data } = hangupSchema.safeParse(parse(text));
  if (!success) throw new ServiceError("VALIDATION_ERROR", 'The body must be {"action": "hangup", "call": "…"}.');
  return { kind: "hangup", callId: data.call };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => message.destroy(new Error("the body is too slow")), BODY_MS);
  try {
    for await (const chunk of message) {
      bytes += chunk.length;
      if (bytes > MAX_OFFER_BYTES) break;
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  if (bytes > MAX_OFFER_BYTES) {
    throw new ServiceError("FILE_TOO_LARGE", `The body may have ${MAX_OFFER_BYTES} bytes at most.`);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
