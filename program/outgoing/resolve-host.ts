// Looks up host names that callers give. Their name servers may be slow or silent, and the system's look-up
// (getaddrinfo) can neither be cancelled nor run more often than libuv has threads for it: a few slow names would hold
// up every other look-up of the process. So these names are sent to DNS directly, over sockets, with a time limit.
import { lookup as systemLookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { OwnerSlots } from "../owner-slots.ts";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses; rejects if it has none. */
export type ResolveHost = (hostname: string) => Promise<ResolvedAddress[]>;

export interface HostResolverOptions {
  /** Name servers, as `address:port`. Default: those of the system. */
  servers?: readonly string[];
  /** Whether a name that DNS does not know is looked up by the system, too (hosts file, search domains): where callers
   *  are trusted. Default false. */
  asksSystemToo?: boolean;
  /** Default: getaddrinfo. */
  lookUpSystem?: ResolveHost;
}

/** Limit of one look-up in DNS, ms, and of the first attempt within it. */
const TIMEOUT_MS = 2_000;
const FIRST_ATTEMPT_MS = 1_000;
/** System look-ups of callers' names at a time, of the eight that `UV_THREADPOOL_SIZE` 16 allows. */
const SYSTEM_LOOKUPS = 2;
/** Top-level names that are never delegated in DNS: they mean this machine or its network. Sources: RFC 6761, RFC 6762,
 *  RFC 8375, and ICANN's reservation of `internal`. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|test|invalid|home\.arpa)\.?$/i;

/** A resolver of callers' names. It rejects within 2 s, except for names that no caller can own: the system looks up
 *  those. */
export function createHostResolver(options: HostResolverOptions = {}): ResolveHost {
  const { servers, asksSystemToo = false, lookUpSystem = resolveWithSystem } = options;
  const slots = new OwnerSlots(SYSTEM_LOOKUPS);

  return async (hostname) => {
    if (isLocalName(hostname)) return lookUpSystem(hostname);
    try {
      return await resolveInDns(hostname, servers);
    } catch (error) {
      if (!asksSystemToo) throw error;
      const leave = await slots.enter("system");
      return lookUpSystem(hostname).finally(leave);
    }
  };
}

/** The system's own look-up: hosts file, search domains, DNS. For names of the operator's settings. */
export function resolveWithSystem(hostname: string): Promise<ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** Whether a name means this machine or its network, whatever a caller registers. */
function isLocalName(hostname: string): boolean {
  return !hostname.replace(/\.$/, "").includes(".") || LOCAL_NAMES.test(hostname);
}

/** Rejects with the error of the IPv4 look-up if there is no address of either family. */
async function resolveInDns(hostname: string, servers: readonly string[] | undefined): Promise<ResolvedAddress[]> {
  // One for each look-up, so that its time limit cancels no other. It reads the system's settings as they are now.
  const resolver = new Resolver({ timeout: FIRST_ATTEMPT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), TIMEOUT_MS);
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0 && four.status === "rejected") throw four.reason;
    return addresses;
  } finally {
    clearTimeout(timer);
  }
}
