// The address guard for `livekit_url`, the one field that may name our own LiveKit server on a private address.
import { LOOPBACK_NAMES } from "../../../shared/loopback.ts";
import { type AddressGuard, type AddressPolicy, createAddressGuard, portOf } from "../outgoing/address-guard.ts";

/** A guard under `policy` that also lets our own LiveKit server through. URLs of images, audio, files, knowledge sources and webhooks
 *  go through the outgoing client's guard, which has no such exception. */
export function createLiveKitGuard(ownUrl: string, policy: AddressPolicy): AddressGuard {
  const url = new URL(ownUrl);
  const isLoopback = url.hostname === "127.0.0.1" || LOOPBACK_NAMES.includes(url.hostname);
  const hosts = isLoopback ? ["127.0.0.1", ...LOOPBACK_NAMES] : [url.hostname.replace(/^\[|\]$/g, "")];
  return createAddressGuard({ ...policy, allowHosts: hosts.map((host) => `${host}:${portOf(url)}`) });
}
