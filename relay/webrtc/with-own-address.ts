// The relay's candidates, with the address under which callers reach it.
import { isIP } from "node:net";

/** The SDP with `address` instead of the machine's own IPv4 addresses, for relays behind a translation of addresses.
 *  Candidates of IPv6, and those that become the same, are left out. */
export function withOwnAddress(sdp: string, address: string | undefined): string {
  if (address === undefined) return sdp;
  const seen = new Set<string>();
  const lines = sdp.split("\r\n").flatMap((line) => {
    if (!line.startsWith("a=candidate:")) return [line];
    const parts = line.split(" ");
    if (isIP(parts[4]) !== 4) return [];
    parts[4] = address;
    const key = `${parts[1]} ${parts[2]} ${parts[5]}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [parts.join(" ")];
  });
  return lines.join("\r\n");
}
