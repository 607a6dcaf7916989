// Code that verifies deliveries of both kinds, to copy. It needs nothing but the language.

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether the service has signed a delivery within the last five minutes.
 *  rawBody: as it arrived, before JSON.parse. headers: names in lower case. */
export function isGenuine(
  rawBody: string,
  headers: Record<string, string | undefined>,
  secret: string,
): boolean {
  const timestamp = headers["x-service-timestamp"] ?? "";
  // The session webhook sends two signatures; this one covers the time.
  const given = headers["x-service-signature-v2"] ?? headers["x-service-signature"] ?? "";
  const hmac = createHmac("sha256", secret).update(timestamp + "." + rawBody);
  const [a, b] = [Buffer.from(given), Buffer.from("sha256=" + hmac.digest("hex"))];
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
  return isFresh && a.length === b.length && timingSafeEqual(a, b);
}`;

const PYTHON = `import hashlib
import hmac
import time


def is_genuine(raw_body: bytes, headers: dict[str, str], secret: str) -> bool:
    """Whether the service has signed a delivery within the last five minutes.

    raw_body: as it arrived, before json.loads. headers: names in lower case.
    """
    timestamp = headers.get("x-service-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    # The session webhook sends two signatures; this one covers the time.
    given = headers.get("x-service-signature-v2") or headers.get("x-service-signature", "")
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    return hmac.compare_digest(given.encode(), b"sha256=" + digest.hexdigest().encode())`;

export const VERIFICATION_CODE = { TypeScript: TYPESCRIPT, Python: PYTHON } as const;
