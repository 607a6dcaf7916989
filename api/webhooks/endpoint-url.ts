// Checks the URL of an endpoint.
import { privateAddressHint } from "../../program/outgoing/address-rules.ts";
import { checkHost } from "../../program/outgoing/check-host.ts";
import { isLoopbackHost } from "../../program/outgoing/loopback.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** Returns the URL in its normal form. Throws VALIDATION_ERROR unless it is an HTTPS URL of a public host;
 *  AVATAR_ALLOW_PRIVATE_ADDRESSES also allows HTTP URLs of this machine. A name that does not resolve passes: every
 *  delivery resolves it again. */
export async function checkEndpointUrl(services: WebhookServices, userId: string, text: string): Promise<string> {
  const { guard } = services.outgoing;
  const url = guard.parseUrl(text, ["https:", "http:"]);
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !(services.allowsLoopback && isLoopback)) {
    const hint = isLoopback ? privateAddressHint({ allowPrivate: services.allowsLoopback }) : "";
    throw new ServiceError("VALIDATION_ERROR", `The webhook URL must use https${hint}`);
  }
  await checkHost(guard, url, userId);
  return url.href;
}
