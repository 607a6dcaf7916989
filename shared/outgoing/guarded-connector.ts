// Connections under an address guard: each goes to an address that the guard has just allowed.
import type { LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import type { AddressGuard, ResolvedAddress } from "./address-guard.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** Connections for undici's requests. The connector checks the address that is actually dialled: a check before the
 *  request would not be enough, because a name may resolve differently the second time. A refused connection rejects
 *  the request with the guard's error, or with an error that has it as its cause. */
export function createGuardedAgent(guard: AddressGuard): Agent {
  return new Agent({ connect: guardedConnector(guard) });
}

/** For sockets that are opened by other libraries, such as `ws`: the `lookup` option of a connection to `port`. Node
 *  looks up names only, so the URL must have passed `guard.parseUrl`, which checks address literals. Fails with the
 *  guard's error. */
export function guardedLookup(guard: AddressGuard, port: number): LookupFunction {
  return (hostname, options, done) => {
    guard.resolve(hostname, port).then(
      (addresses) => answer(addresses, options, done),
      (error: Error) => done(error, ""),
    );
  };
}

function guardedConnector(guard: AddressGuard): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    guard.resolve(options.hostname, port).then(
      (addresses) => {
        // The socket gets the checked addresses, so that nothing can change between check and dial.
        const pinned: LookupFunction = (_hostname, lookupOptions, done) => answer(addresses, lookupOptions, done);
        buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: pinned })(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function answer(
  addresses: readonly ResolvedAddress[],
  options: Parameters<LookupFunction>[1],
  done: Parameters<LookupFunction>[2],
): void {
  if (options.all) done(null, [...addresses]);
  else done(null, addresses[0].address, addresses[0].family);
}
