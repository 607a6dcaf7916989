// Decides which network addresses this service may contact on a caller's word. Everything that leaves for a caller-given
// URL (downloads, webhooks, LiveKit servers) asks here, so that no caller can reach the machine's own network.
import { lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { ServiceError } from "../../../shared/errors.ts";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses; rejects if it has none. Tests pass their own. */
export type ResolveHost = (hostname: string) => Promise<ResolvedAddress[]>;

export interface AddressPolicy {
  /** Lets every address through: for machines whose operator trusts all callers. Default false. */
  allowPrivate?: boolean;
  /** `host` or `host:port` entries that are let through whatever they resolve to, for example our own LiveKit server. */
  allowHosts?: readonly string[];
  /** Addresses and CIDR ranges that are refused although they are public, and also under `allowPrivate`. */
  deniedRanges?: readonly string[];
  /** Default: the system's resolver. */
  resolveHost?: ResolveHost;
}

/** The guard: one policy, asked before and during every connection. */
export interface AddressGuard {
  /** Resolves `hostname` and returns its addresses, all of them allowed. `port` serves the `host:port` exceptions.
   *  Throws ServiceError VALIDATION_ERROR if any address is not public; rejects with the resolver's error if there is none. */
  resolve(hostname: string, port: number): Promise<ResolvedAddress[]>;
  /** Parses a caller's URL. Throws VALIDATION_ERROR unless it is absolute, has one of `protocols` (like `https:`), no
   *  credentials, and a host that is not itself a private address. Names are not resolved: `resolve` does that. */
  parseUrl(text: string, protocols: readonly string[]): URL;
}

/** Public unicast by their range, but services of the machine's own cloud: Azure's WireServer (virtual machine agent, DNS, DHCP). */
const CLOUD_INTERNAL_ADDRESSES: readonly string[] = ["168.63.129.16"];

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "ws:": 80, "https:": 443, "wss:": 443 };

/** True for a globally routable unicast address, IPv4-mapped IPv6 forms unwrapped first. False for anything unparsable and for the
 *  internal services of clouds. */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    return parsed.range() === "unicast" && !CLOUD_INTERNAL_ADDRESSES.includes(parsed.toString());
  } catch {
    return false;
  }
}

/** True if `address` lies in one of the ranges, which `parseRange` has read, or cannot be parsed. */
function isInRanges(address: string, ranges: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[]): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

/** A CIDR range, or a single address as the range that holds nothing else. Throws Error for any other text. */
function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Port that a URL names or implies. */
export function portOf(url: URL): number {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}

/** Makes a guard for a policy. */
export function createAddressGuard(policy: AddressPolicy = {}): AddressGuard {
  const resolveHost = policy.resolveHost ?? resolveWithSystem;
  const exceptions = new Set((policy.allowHosts ?? []).map((entry) => entry.toLowerCase()));
  const deniedRanges = (policy.deniedRanges ?? []).map(parseRange);

  function isAllowed(hostname: string, port: number, address: string): boolean {
    const host = hostname.toLowerCase();
    if (exceptions.has(host) || exceptions.has(`${host}:${port}`)) return true;
    if (deniedRanges.length > 0 && isInRanges(address, deniedRanges)) return false;
    return policy.allowPrivate === true || isPublicAddress(address);
  }

  return {
    async resolve(hostname, port) {
      const host = withoutBrackets(hostname);
      const family = isIP(host);
      // A literal never reaches the resolver, so it has to be judged as it stands.
      const addresses = family === 0 ? await resolveHost(host) : [{ address: host, family }];
      if (addresses.length === 0) throw new Error(`no address for ${host}`);
      if (!addresses.every(({ address }) => isAllowed(host, port, address))) throw refusal(host);
      return addresses;
    },

    parseUrl(text, protocols) {
      if (!URL.canParse(text)) throw new ServiceError("VALIDATION_ERROR", `Not a valid URL: ${text.slice(0, 200)}`);
      const url = new URL(text);
      const names = protocols.map((protocol) => protocol.slice(0, -1)).join(", ");
      if (!protocols.includes(url.protocol)) throw new ServiceError("VALIDATION_ERROR", `The URL must use ${names}`);
      if (url.username !== "" || url.password !== "") {
        throw new ServiceError("VALIDATION_ERROR", "The URL must not contain a user name or password");
      }
      const host = withoutBrackets(url.hostname);
      if (host === "") throw new ServiceError("VALIDATION_ERROR", "The URL names no host");
      if (isIP(host) !== 0 && !isAllowed(host, portOf(url), host)) throw refusal(host);
      return url;
    },
  };
}

/** The refusal names the host the caller gave, never the address it resolved to: that would map our network for them. */
function refusal(host: string): ServiceError {
  return new ServiceError(
    "VALIDATION_ERROR",
    `The host ${host.slice(0, 253)} is not publicly reachable: private address`,
  );
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function resolveWithSystem(hostname: string): Promise<ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
