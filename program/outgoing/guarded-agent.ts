// Connections of undici under an address guard: each goes to an address that the guard has just allowed.
import type { LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { answerLookup } from "./guarded-lookup.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** Connections for requests. The connector checks the address that is actually dialled: a check before the request
 *  would not be enough, because a name may resolve differently the second time. A refused connection rejects the
 *  request with the guard's error, or with an error that has it as its cause. */
export function createGuardedAgent(guard: AddressGuard): Agent {
  return new Agent({ connect: guardedConnector(guard) });
}

function guardedConnector(guard: AddressGuard): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    guard.resolve(options.hostname, port).then(
      (addresses) => {
        // The socket gets the checked addresses, so that nothing can change between check and dial.
        const pinned: LookupFunction = (_hostname, lookupOptions, done) => answerLookup(addresses, lookupOptions, done);
        buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: pinned })(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}
