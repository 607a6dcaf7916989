// Secrets and signatures of webhook deliveries.
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new endpoint secret, `whsec_` and 64 hexadecimal digits. The whole text is the key of the contract's signatures;
 *  Standard Webhooks reads the digits as base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("hex");
}

/** HMAC-SHA256 of the body, as `sha256=` and hexadecimal digits: the contract's signature of session webhooks. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** As `signBody`, but over the timestamp (Unix seconds, as in its header), a dot and the body. A receiver that verifies
 *  it and refuses old timestamps is safe from replayed deliveries. */
export function signTimedBody(secret: string, timestamp: number, body: string): string {
  return signBody(secret, `${timestamp}.${body}`);
}

/** The signature of Standard Webhooks over id, timestamp (Unix seconds) and body, as `v1,` and base64. Source:
 *  https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function signStandardWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
