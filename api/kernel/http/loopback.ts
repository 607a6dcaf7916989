// Whether a peer is this machine.
import { isIPv4, isIPv6 } from "node:net";

/** True for 127.0.0.0/8, ::1 and their IPv4-mapped spellings. */
export function isLoopback(ip: string): boolean {
  const address = ip.replace(/^::ffff:/, "");
  return (isIPv4(address) && address.startsWith("127.")) || (isIPv6(address) && address === "::1");
}
