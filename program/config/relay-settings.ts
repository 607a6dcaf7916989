import { z } from "zod";
import { anyPort, SECOND_MS, wholeNumber } from "./values.ts";

/** `50000-50100`. */
const portRange = z.string().transform((range, context): { min: number; max: number } => {
  const [, min, max] = (/^(\d{1,5})-(\d{1,5})$/.exec(range) ?? []).map(Number);
  const isValid = min >= 1024 && max <= 65_535 && min <= max;
  if (!isValid) context.addIssue("must be a range of ports like 50000-50100, from 1024 to 65535");
  return { min, max };
});

export const relaySettings = z
  .object({
    AVATAR_RELAY_PORT: anyPort.default(8088),
    AVATAR_RELAY_UDP_PORTS: portRange.optional(),
    AVATAR_RELAY_ADDRESS: z.ipv4("must be an IPv4 address").optional(),
    AVATAR_RELAY_DRAIN_SECONDS: wholeNumber(0, 86_400).default(0),
  })
  .transform((relay) => ({
    port: relay.AVATAR_RELAY_PORT,
    /** Of calls over WebRTC. */
    peers: { ports: relay.AVATAR_RELAY_UDP_PORTS, address: relay.AVATAR_RELAY_ADDRESS },
    drainMs: relay.AVATAR_RELAY_DRAIN_SECONDS * SECOND_MS,
  }));
