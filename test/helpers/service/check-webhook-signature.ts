// Checks a delivery of a registered webhook as the contract tells its receivers to.
import { createHmac } from "node:crypto";
import type { Test } from "tap";
import type { Received } from "../servers/with-webhook-receiver.ts";

/** Signature and timestamp, from the raw bytes and the headers alone. */
export function checkWebhookSignature(t: Test, { headers, raw }: Received, secret: string): void {
  const timestamp = String(headers["x-service-timestamp"]);
  const hex = createHmac("sha256", secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), raw]))
    .digest("hex");
  t.equal(headers["x-service-signature"], `sha256=${hex}`);
  t.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60, "the timestamp is now");
}
