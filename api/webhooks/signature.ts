// Secrets and signatures of webhook deliveries.
import { createHmac, randomBytes } from "node:crypto";
import type { WebhookFamily } from "./webhook-endpoint.ts";

const SECRET_BYTES = 32;

/** A new endpoint secret, `whsec_` and 64 hexadecimal digits. The whole text is the key. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("hex")}`;
}

/** The signature header's value: `sha256=` and the hexadecimal HMAC-SHA256 of the body, which for registered endpoints is preceded
 *  by the timestamp (Unix seconds, as in its header) and a dot. */
export function signDelivery(family: WebhookFamily, secret: string, timestamp: number, body: string): string {
  const hmac = createHmac("sha256", secret);
  if (family === "registered") hmac.update(`${timestamp}.`);
  return `sha256=${hmac.update(body).digest("hex")}`;
}
