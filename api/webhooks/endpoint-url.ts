// Checks the URL of an endpoint.
import { setTimeout as wait } from "node:timers/promises";
import { portOf } from "../../shared/address-rules.ts";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** Limit of the name look-up, so that a slow name server does not hold up the caller. */
const RESOLVE_TIMEOUT_MS = 2_000;

/** Returns the URL in its normal form. Throws VALIDATION_ERROR unless it is an HTTPS URL of a public host;
 *  AVATAR_ALLOW_PRIVATE_ADDRESSES also allows HTTP URLs of this machine. A name that does not resolve passes: every
 *  delivery resolves it again. */
export async function checkEndpointUrl(services: WebhookServices, text: string): Promise<string> {
  const { guard } = services.outgoing;
  const url = guard.parseUrl(text, ["https:", "http:"]);
  if (url.protocol === "http:" && !(services.allowsLoopback && isLoopbackHost(url.hostname))) {
    throw new ServiceError("VALIDATION_ERROR", "The webhook URL must use https");
  }
  const resolving = guard.resolve(url.hostname, portOf(url)).catch((error: unknown) => {
    if (isServiceError(error)) throw error;
  });
  await Promise.race([resolving, wait(RESOLVE_TIMEOUT_MS, undefined, { ref: false })]);
  return url.href;
}
