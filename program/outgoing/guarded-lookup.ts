// Looks up names under an address guard, for sockets that Node or a library opens.
import type { LookupFunction } from "node:net";
import type { AddressGuard } from "./address-guard.ts";
import type { ResolvedAddress } from "./resolve-host.ts";

/** The `lookup` option of a connection to `port`. Node looks up names only, so the URL must have passed
 *  `guard.parseUrl`, which checks address literals. Fails with the guard's error. */
export function guardedLookup(guard: AddressGuard, port: number): LookupFunction {
  return (hostname, options, done) => {
    guard.resolve(hostname, port).then(
      (addresses) => answerLookup(addresses, options, done),
      (error: Error) => done(error, ""),
    );
  };
}

/** Answers a look-up with addresses that are known. */
export function answerLookup(
  addresses: readonly ResolvedAddress[],
  options: Parameters<LookupFunction>[1],
  done: Parameters<LookupFunction>[2],
): void {
  if (options.all) done(null, [...addresses]);
  else done(null, addresses[0].address, addresses[0].family);
}
