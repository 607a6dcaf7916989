// Which URLs an endpoint may have.
import { setTimeout as wait } from "node:timers/promises";
import { portOf } from "../../shared/address-rules.ts";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** A caller does not wait longer for a slow name server. */
const RESOLVE_TIMEOUT_MS = 2_000;

/** The URL in its normal form. Throws VALIDATION_ERROR unless it is an HTTPS URL of a public host; the development switch lets HTTP
 *  URLs of this machine pass too. A name that cannot be resolved now may be later, so it passes: every delivery asks again. */
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
