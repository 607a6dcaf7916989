import ipaddr from "ipaddr.js";
import { z } from "zod";
import { addressRanges, flag } from "./values.ts";

const SERVER_AND_PORT = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-fA-F:]+\]):\d{1,5}$/;

/** Addresses of name servers, separated by commas; a port may follow. */
const nameServers = z.string().transform((list, context): readonly string[] => {
  const servers = list.split(",").map((server) => server.trim());
  const isValid = (server: string) => ipaddr.isValid(server) || SERVER_AND_PORT.test(server);
  if (!servers.every(isValid))
    context.addIssue("must be IP addresses like 192.0.2.1 or 192.0.2.1:53, separated by commas");
  return servers;
});

/** Which addresses callers' URLs may lead to: a `GuardPolicy`. */
export const outgoingSettings = z
  .object({
    AVATAR_ALLOW_PRIVATE_ADDRESSES: flag.default(false),
    AVATAR_DENIED_ADDRESSES: addressRanges.default([]),
    AVATAR_NAME_SERVERS: nameServers.optional(),
  })
  .transform((outgoing) => ({
    allowPrivate: outgoing.AVATAR_ALLOW_PRIVATE_ADDRESSES,
    deniedRanges: outgoing.AVATAR_DENIED_ADDRESSES,
    nameServers: outgoing.AVATAR_NAME_SERVERS,
  }));
