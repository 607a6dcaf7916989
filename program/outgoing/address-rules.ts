// Decides which network addresses a process may contact when a caller names them. Pure: the caller of this module
// resolves names. Used by the api's outgoing guard, and by the avatar worker before it joins a room.
import ipaddr from "ipaddr.js";
import { LOOPBACK_NAMES } from "./loopback.ts";

export interface AddressPolicy {
  /** Lets every address through: for operators who trust all callers. Default false. */
  allowPrivate?: boolean;
  /** `host` or `host:port` entries that are let through whatever they resolve to, for example our own LiveKit server.
   *  */
  allowHosts?: readonly string[];
  /** Addresses and CIDR ranges that are refused although they are public, and also under `allowPrivate`. */
  deniedRanges?: readonly string[];
}

/** True if `address`, to which `host` resolves, may be contacted at `port`. */
export type AddressRule = (host: string, port: number, address: string) => boolean;

/** Public unicast by their range, but services of the machine's own cloud: Azure's WireServer (virtual machine agent,
 *  DNS, DHCP). */
const CLOUD_INTERNAL_ADDRESSES: readonly string[] = ["168.63.129.16"];

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "ws:": 80, "https:": 443, "wss:": 443 };

/** The rule of a policy. Throws Error for a denied range that cannot be parsed. */
export function createAddressRule(policy: AddressPolicy = {}): AddressRule {
  const exceptions = new Set((policy.allowHosts ?? []).map((entry) => entry.toLowerCase()));
  const deniedRanges = (policy.deniedRanges ?? []).map(parseRange);
  return (hostname, port, address) => {
    const host = hostname.toLowerCase();
    if (exceptions.has(host) || exceptions.has(`${host}:${port}`)) return true;
    if (deniedRanges.length > 0 && isInRanges(address, deniedRanges)) return false;
    return policy.allowPrivate === true || isPublicAddress(address);
  };
}

/** What a refusal adds for an operator with known callers; empty if private addresses are let through already. */
export function privateAddressHint({ allowPrivate }: Pick<AddressPolicy, "allowPrivate">): string {
  if (allowPrivate) return "";
  return ". The operator of the service lets private addresses through with AVATAR_ALLOW_PRIVATE_ADDRESSES=1";
}

/** True for a globally routable unicast address, IPv4-mapped IPv6 forms unwrapped first. False for anything unparsable
 *  and for the internal services of clouds. */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.process(address);
    return parsed.range() === "unicast" && !CLOUD_INTERNAL_ADDRESSES.includes(parsed.toString());
  } catch {
    return false;
  }
}

/** Port that a URL names or implies. */
export function portOf(url: URL): number {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}

/** Host of a URL, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return withoutBrackets(url.hostname);
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** `host:port` under every name of the server behind a URL: the exception for our own LiveKit server. */
export function hostEntriesOf(serverUrl: string): string[] {
  const url = new URL(serverUrl);
  const isLoopback = url.hostname === "127.0.0.1" || LOOPBACK_NAMES.includes(url.hostname);
  const hosts = isLoopback ? ["127.0.0.1", ...LOOPBACK_NAMES] : [hostOf(url)];
  return hosts.map((host) => `${host}:${portOf(url)}`);
}

/** True if `address` lies in one of the ranges, which `parseRange` has read, or cannot be parsed. */
function isInRanges(address: string, ranges: readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[]): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

/** Whether an address is a valid one in these ranges, which are addresses and CIDR ranges. */
export function isAddressIn(address: string, ranges: readonly string[]): boolean {
  return ipaddr.isValid(address) && isInRanges(address, ranges.map(parseRange));
}

/** Whether two texts are one address; all addresses of loopback count as one. False for what is no address. */
export function isSameAddress(first: string, second: string): boolean {
  if (!ipaddr.isValid(first) || !ipaddr.isValid(second)) return false;
  const [one, other] = [ipaddr.process(first), ipaddr.process(second)];
  return one.toString() === other.toString() || (one.range() === "loopback" && other.range() === "loopback");
}

/** A CIDR range, or a single address as the range that holds nothing else. Throws Error for any other text. */
function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
