// Checks the signature of a delivery in the tab, and finds out what is wrong with it. Nothing is sent anywhere.
import { type VerifyOptions, WebhookVerificationError, webhooks } from "../../../../sdk/client/index.ts";
import { readHeaders } from "./read-headers.ts";

/** What a person pastes. */
export interface PastedDelivery {
  body: string;
  /** `Name: value` lines. */
  headers: string;
  secret: string;
}

/** What is wrong with a delivery, from what is checked first. */
export type SignatureFault =
  /** There is no secret, or none of a webhook. */
  | "no-secret"
  | "secret-shape"
  | "no-signature"
  | "signature-shape"
  | "no-timestamp"
  | "not-json"
  /** The signature fits the body without the white space around it. */
  | "space-around"
  /** The signature fits the same JSON, written without white space: the body was parsed and written again. */
  | "rewritten"
  /** The signature is not of this body and secret. */
  | "mismatch"
  /** The signature is right, and the time is not. */
  | "too-old"
  | "in-future";

export type SignatureCheck =
  | {
      isVerified: true;
      /** Name of the event. */
      event: string;
      family: "registered" | "session";
    }
  | { isVerified: false; fault: SignatureFault /** Distance of the clocks, for faults of time. */; seconds?: number };

const SECRET_SHAPE = /^whsec_[0-9a-f]{64}$/;
const SIGNATURE_SHAPE = /^sha256=[0-9a-f]{64}$/i;
const NAMES = ["x-service-signature-v2", "x-service-signature"] as const;

/** Never throws. */
export async function checkSignature(pasted: PastedDelivery, options: VerifyOptions = {}): Promise<SignatureCheck> {
  const secret = pasted.secret.trim();
  const headers = readHeaders(pasted.headers);
  const fault = faultOfForm(pasted, headers, secret);
  if (fault) return { isVerified: false, fault };
  const { now = Date.now } = options;
  const tell = async (body: string) => webhooks.verify(body, headers, secret, options).catch(faultOf);
  const result = await tell(pasted.body);
  if (typeof result !== "string") return verified(result);
  if (result === "timestamp") {
    const seconds = Math.round(now() / 1000 - timeOf(pasted.body, headers));
    const fault = seconds > 0 ? ("too-old" as const) : ("in-future" as const);
    return { isVerified: false, fault, seconds: Math.abs(seconds) };
  }
  return { isVerified: false, fault: await faultOfBody(pasted.body, tell) };
}

function faultOfForm(
  { body }: PastedDelivery,
  headers: Readonly<Record<string, string>>,
  secret: string,
): SignatureFault | undefined {
  const signatures = NAMES.flatMap((name) => headers[name] ?? []);
  if (secret === "") return "no-secret";
  if (!SECRET_SHAPE.test(secret)) return "secret-shape";
  if (signatures.length === 0) return "no-signature";
  if (!signatures.every((signature) => SIGNATURE_SHAPE.test(signature))) return "signature-shape";
  const event = parsed(body);
  if (event === undefined) return "not-json";
  const needsTimestamp = !("event_type" in event) || headers[NAMES[0]] !== undefined;
  return needsTimestamp && headers["x-service-timestamp"] === undefined ? "no-timestamp" : undefined;
}

/** What often happens to a body on its way. An old signature that fits shows the same. */
async function faultOfBody(body: string, tell: (body: string) => Promise<unknown>): Promise<SignatureFault> {
  const fits = async (other: string) => other !== body && (await tell(other)) !== "signature";
  for (const other of [body.trim(), `${body.trim()}\n`, body.replaceAll("\r\n", "\n")]) {
    if (await fits(other)) return "space-around";
  }
  return (await fits(JSON.stringify(parsed(body)))) ? "rewritten" : "mismatch";
}

function faultOf(error: unknown): WebhookVerificationError["reason"] {
  return error instanceof WebhookVerificationError ? error.reason : "malformed";
}

function verified(event: object): SignatureCheck {
  const isSession = "event_type" in event;
  const name = isSession ? event.event_type : "event" in event ? event.event : "";
  return { isVerified: true, event: String(name), family: isSession ? "session" : "registered" };
}

/** Unix seconds at which the delivery was signed. */
function timeOf(body: string, headers: Readonly<Record<string, string>>): number {
  const event = parsed(body);
  const isPlain = event !== undefined && "event_type" in event && headers[NAMES[0]] === undefined;
  return Number(isPlain && "timestamp" in event ? event.timestamp : headers["x-service-timestamp"]);
}

function parsed(body: string): object | undefined {
  try {
    const event: unknown = JSON.parse(body);
    return typeof event === "object" && event !== null ? event : undefined;
  } catch {
    return undefined;
  }
}
