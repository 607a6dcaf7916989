// Verifies deliveries of webhooks, of both kinds: those of `webhooks.create`, and the account's session webhook.
import { AvatarError } from "./errors.ts";
import type { VideosGetResponse } from "./generated/types.gen.ts";

/** Which agent an event is about. */
export interface AgentEventData {
  agent_id: string;
  code: string;
}

/** A delivery of a registered webhook. */
export interface RegisteredDelivery<Name extends string, Data> {
  id: string;
  event: Name;
  /** Unix seconds. */
  created: number;
  data: Data;
}

/** A delivery of the session webhook. */
export interface SessionDelivery<Name extends string, Data> {
  agent_id: string;
  event_type: Name;
  data: Data;
  /** Unix seconds. */
  timestamp: number;
}

/** What registered webhooks are sent. */
export type AgentEvent =
  | RegisteredDelivery<"agent.ready", AgentEventData>
  | RegisteredDelivery<"agent.failed", AgentEventData & { error: string }>
  | RegisteredDelivery<"video.completed" | "video.failed", AgentEventData & VideosGetResponse>
  | RegisteredDelivery<"dynamics.ready", AgentEventData & { gestures: string[] }>
  | RegisteredDelivery<"dynamics.failed", AgentEventData & { error: string }>
  | RegisteredDelivery<"ping", { webhook_id: string }>;

/** What the session webhook is sent. */
export type SessionEvent =
  | SessionDelivery<"room.join", { room_name: string; participant_count: number; session_id: string }>
  | SessionDelivery<"chat.push", { role: "user" | "assistant"; message: string; session_id: string; timestamp: number }>
  | SessionDelivery<"test", Record<string, unknown>>;

/** What was delivered. Later versions of the service may send further events. */
export type WebhookEvent = AgentEvent | SessionEvent;

/** Headers as a server has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old a delivery may be, and how much the clocks may differ, in seconds. Default 300. */
  toleranceSeconds?: number;
  /** Default: this machine's clock. Unix time in ms. */
  now?(): number;
}

/** A delivery that must not be trusted. */
export class WebhookVerificationError extends AvatarError {
  override name = "WebhookVerificationError";
  readonly reason: "signature" | "timestamp" | "malformed";

  constructor(reason: WebhookVerificationError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const TOLERANCE_SECONDS = 300;
const HEX_SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

export interface WebhookVerifier {
  /** The event of a delivery that the service has signed with this secret within the last minutes. `rawBody` is the
   *  body as it arrived: parsed and written again, its signature is another. Rejects with WebhookVerificationError. */
  verify(
    rawBody: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string,
    options?: VerifyOptions,
  ): Promise<WebhookEvent>;
}

/** Verifies deliveries without a client. */
export const webhooks: WebhookVerifier = { verify };

async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const event = parse(body);
  const timestamp = header(headers, "x-service-timestamp");
  const timed = header(headers, "x-service-signature-v2");
  const plain = header(headers, "x-service-signature");
  // A session webhook's first signature does not cover the header with the time, so its body's time counts.
  const isPlain = "event_type" in event && timed === undefined;
  const seconds = Number(isPlain ? event.timestamp : timestamp);
  const signed = isPlain ? body : joined(`${timestamp}.`, body);
  if (!(await isSigned(signed, timed ?? plain, secret))) {
    throw new WebhookVerificationError(
      "signature",
      "The signature is not of this body and secret. Pass the raw body, and the secret of this endpoint.",
    );
  }
  const apart = Math.abs(now() / 1000 - seconds);
  if (!(apart <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "timestamp",
      `The delivery is ${Math.round(apart)} s away from this machine's clock: it is old, or the clock is wrong.`,
    );
  }
  return event as WebhookEvent;
}

/** In constant time: the platform compares. */
async function isSigned(data: Uint8Array, signature: string | undefined, secret: string): Promise<boolean> {
  const hex = HEX_SIGNATURE.exec(signature ?? "")?.[1];
  if (!hex) return false;
  if (!secret) throw new TypeError("secret is empty: pass the secret of the webhook (whsec_…)");
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, bytes, data as BufferSource);
}

function parse(body: Uint8Array): { event_type?: unknown; timestamp?: unknown } {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof event === "object" && event !== null) return event;
  } catch {
    // Told below.
  }
  throw new WebhookVerificationError("malformed", "The body is not the JSON of an event.");
}

function bytesOf(raw: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof raw === "string") return new TextEncoder().encode(raw);
  if (raw instanceof Uint8Array) return raw;
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw);
  throw new TypeError("rawBody must be the body as it arrived, a text or bytes, not the parsed JSON");
}

function joined(text: string, bytes: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(text);
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : value?.[0];
}
