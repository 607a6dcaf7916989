// The key of a rate limit per client address.
import ipaddr from "ipaddr.js";

/** One IPv6 host usually owns a whole network of this size, so the network counts as one address. */
const IPV6_NETWORK_BITS = 64;

/** An IPv4 address itself, also if it is mapped into IPv6; the /64 network of any other IPv6 address. */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_NETWORK_BITS}`)}/${IPV6_NETWORK_BITS}`;
}
