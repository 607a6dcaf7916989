// Secrets and signatures of webhook deliveries.
import { createHmac, randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** A new endpoint secret, `whsec_` and 64 hexadecimal digits. The whole text is the key. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("hex")}`;
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
