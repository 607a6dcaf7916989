// POST /v1/realtime/connect: an SDP offer opens a call over WebRTC, and JSON hangs one up. Pages of other sites may
// send both: the credential is in a header, and never in a cookie. Clients of OpenAI's own server find the same at the
// paths that they know.
import type { IncomingMessage } from "node:http";
import busboy from "busboy";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_API_SECRET, HEADER_CALL } from "../../shared/wire-names.ts";
import { MAX_OFFER_BYTES } from "./clean-offer.ts";

export const CONNECT_PATH = "/v1/realtime/connect";
const OPENAI_CALLS_PATH = "/v1/realtime/calls";
const OPENAI_HANGUP_PATH = /^\/v1\/realtime\/calls\/([\w.-]{1,200})\/hangup$/;
/** An offer of OpenAI's beta goes to the path of its WebSocket. */
const OPENAI_BETA_PATH = "/v1/realtime";
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

/** What a form may say about the session, besides its offer. */
const sessionSchema = z.looseObject({ model: z.string().max(200).optional(), type: z.string().optional() });

export type ConnectRequest =
  /** `session`: what the upstream is told first; `model`: as the form names it. `isTranscription`: the session is to
   *  write down what is said, and no more. */
  | { kind: "offer"; offer: string; session?: object; model?: string; isTranscription?: boolean }
  | { kind: "hangup"; callId: string };

/** Whether a request is about calls over WebRTC. */
export function isConnectPath(path: string, method: string | undefined): boolean {
  if (path === OPENAI_BETA_PATH) return method === "POST";
  return path === CONNECT_PATH || path === OPENAI_CALLS_PATH || OPENAI_HANGUP_PATH.test(path);
}

/** Reads the body. Throws ServiceError: UNSUPPORTED_TYPE, FILE_TOO_LARGE, VALIDATION_ERROR. */
export async function readConnectRequest(message: IncomingMessage, path: string): Promise<ConnectRequest> {
  const [, hungUp] = OPENAI_HANGUP_PATH.exec(path) ?? [];
  if (hungUp !== undefined) {
    message.resume();
    return { kind: "hangup", callId: hungUp };
  }
  const type = (message.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (type === "multipart/form-data") return readForm(message);
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

/** A form with `sdp` and `session`. */
async function readForm(message: IncomingMessage): Promise<ConnectRequest> {
  const fields = new Map<string, string>();
  const wrong = (why: string, cause?: unknown) =>
    new ServiceError("VALIDATION_ERROR", `Not a usable form: ${why}.`, { cause });
  const body = Buffer.from(await readText(message));
  try {
    const form = busboy({ headers: message.headers, limits: { fields: 4, fieldSize: MAX_OFFER_BYTES, files: 4 } });
    const read = async (name: string, part: AsyncIterable<Buffer>) => {
      const chunks: Buffer[] = [];
      for await (const chunk of part) chunks.push(chunk);
      fields.set(name, Buffer.concat(chunks).toString());
    };
    const files: Promise<void>[] = [];
    form.on("field", (name, value) => fields.set(name, value));
    // Clients that name a type for each part send files.
    form.on("file", (name, part) => files.push(read(name, part)));
    await new Promise<void>((resolve, reject) => {
      form.once("close", resolve).once("error", reject);
      form.end(body);
    });
    await Promise.all(files);
  } catch (cause) {
    throw wrong("it cannot be read", cause);
  }
  const offer = fields.get("sdp");
  if (offer === undefined) throw wrong("it has no sdp");
  const { success, data } = sessionSchema.safeParse(parse(fields.get("session") ?? "{}"));
  if (!success) throw wrong("session is not an object");
  const { model, ...session } = data;
  const isTranscription = session.type === "transcription";
  return { kind: "offer", offer, model, isTranscription, ...(Object.keys(session).length > 0 && { session }) };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => message.destroy(new Error("the body is too slow")), BODY_MS);
  try {
    // Destroying the message would leave the rest of the body in the way of the connection's next request.
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > MAX_OFFER_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ServiceError("VALIDATION_ERROR", "The body did not arrive.", { cause });
  } finally {
    clearTimeout(timer);
  }
  if (bytes > MAX_OFFER_BYTES) {
    message.resume();
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
