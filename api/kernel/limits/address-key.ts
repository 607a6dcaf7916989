// What a limit per client address counts by.
import ipaddr from "ipaddr.js";

/** IPv6 hosts usually own a whole network of this size, so one address of it stands for all. */
const IPV6_NETWORK_BITS = 64;

/** An IPv4 address as it is, also one mapped into IPv6; the /64 network of any other IPv6 address. */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_NETWORK_BITS}`)}/${IPV6_NETWORK_BITS}`;
}
