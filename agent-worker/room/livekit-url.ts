// The worker's own check of a LiveKit URL before native code connects to it. The api checked the URL at launch, but a
// session may be dispatched up to 24 hours later, when the name resolves to something else.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type AddressRule, hostOf, portOf } from "../../shared/address-rules.ts";
import { ServiceError } from "../../shared/errors.ts";

const PROTOCOLS = ["ws:", "wss:", "http:", "https:"];

/** Resolves a name to all its addresses. */
export type ResolveHost = (host: string) => Promise<string[]>;

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
  let addresses: string[] = [];
  let cause: unknown;
  try {
    addresses = await resolveHost(host);
  } catch (error) {
    cause = error;
  }
  if (addresses.length > 0) return addresses;
  throw new ServiceError("UPSTREAM_ERROR", "livekit_url: the host has no address", { cause });
}

async function resolveWithSystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
