// Whether a name or an address means this machine.
import { isIPv4, isIPv6 } from "node:net";

/** Host names of this machine. The second is the fully qualified spelling of the first. */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "localhost."];

/** True for 127.0.0.0/8, ::1 and their IPv4-mapped spellings. */
export function isLoopback(ip: string): boolean {
  const address = ip.replace(/^::ffff:/, "");
  return (isIPv4(address) && address.startsWith("127.")) || (isIPv6(address) && address === "::1");
}

/** True for a loopback name or address, as a URL or a HOST setting spells it (IPv6 with or without brackets). */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_NAMES.includes(host.toLowerCase()) || isLoopback(host.replace(/^\[|\]$/g, ""));
}
