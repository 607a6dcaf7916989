// The worker's own check of a LiveKit URL before native code connects to it. The api checked the URL at launch, but a
// session may be dispatched up to 24 hours later, when the name resolves to something else.
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type AddressRule, hostOf, portOf } from "../../program/outgoing/address-rules.ts";
import { type ResolveHost, resolveWithSystem } from "../../program/outgoing/resolve-host.ts";
import { ServiceError } from "../../shared/errors.ts";

const PROTOCOLS = ["ws:", "wss:", "http:", "https:"];

/** Limit of the name look-up, so that a silent name server ends the join. */
const RESOLVE_TIMEOUT_MS = 5_000;

/** Throws ServiceError VALIDATION_ERROR unless the URL is a WebSocket or HTTP one without credentials, and
 *  `mayContact` allows every address of its host; UPSTREAM_ERROR if the host has no address. The native client
 *  resolves the name again: an answer that changes in between, redirects and ICE candidates are beyond this check
 *  (SECURITY.md). */
export async function checkLivekitUrl(
  text: string,
  mayContact: AddressRule,
  resolveHost: ResolveHost = resolveWithSystem,
): Promise<void> {
  if (!URL.canParse(text)) throw new ServiceError("VALIDATION_ERROR", "livekit_url is not a URL");
  const url = new URL(text);
  if (!PROTOCOLS.includes(url.protocol)) {
    throw new ServiceError("VALIDATION_ERROR", "livekit_url must begin with wss://, ws://, https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ServiceError("VALIDATION_ERROR", "livekit_url must not contain credentials");
  }
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolveHost) : [host];
  if (!addresses.every((address) => mayContact(host, portOf(url), address))) {
    throw new ServiceError(
      "VALIDATION_ERROR",
      "livekit_url: the host is not publicly reachable: private address (AVATAR_ALLOW_PRIVATE_ADDRESSES of this worker)",
    );
  }
}

async function addressesOf(host: string, resolveHost: ResolveHost): Promise<string[]> {
  let addresses: Awaited<ReturnType<ResolveHost>> = [];
  let cause: unknown;
  try {
    addresses = await Promise.race([resolveHost(host), delay(RESOLVE_TIMEOUT_MS, [], { ref: false })]);
  } catch (error) {
    cause = error;
  }
  if (addresses.length > 0) return addresses.map(({ address }) => address);
  throw new ServiceError("UPSTREAM_ERROR", "livekit_url: the host has no address", { cause });
}
