// The address guard for `livekit_url`, the one field that may name our own LiveKit server on a private address.

import { type AddressGuard, createAddressGuard, type GuardPolicy } from "../../../program/outgoing/address-guard.ts";
import { hostEntriesOf } from "../../../program/outgoing/address-rules.ts";

/** A guard under `policy` that also lets our own LiveKit server through, under each of its URLs. URLs of images, audio,
 *  files, knowledge sources and webhooks go through the outgoing client's guard, which has no such exception. */
export function createLiveKitGuard(ownUrls: readonly string[], policy: GuardPolicy): AddressGuard {
  return createAddressGuard({ ...policy, allowHosts: ownUrls.flatMap(hostEntriesOf) });
}
