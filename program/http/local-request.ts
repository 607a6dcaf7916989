// Tells requests of this machine, and of the service's own pages on it, from all others.
import type { IncomingHttpHeaders } from "node:http";
import { isLoopback, isLoopbackHost } from "../outgoing/loopback.ts";

/** Headers by which a proxy shows that the peer is not the client. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] as const;
/** Name and port of a `Host` header. */
const HOST_HEADER = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;

/** A request, as far as it says where it comes from. */
export interface Origin {
  /** Address of the peer. */
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

/** Whether a request comes from this machine and was not passed on by a proxy. */
export function isFromHere({ ip, headers }: Origin): boolean {
  return isLoopback(ip) && PROXY_HEADERS.every((name) => headers[name] === undefined);
}

/** Whether a request comes from this machine and was addressed to it by a loopback name. A browser that another site
 *  made resolve its own name to this machine (DNS rebinding) still sends that site's name. */
export function isAddressedHere(request: Origin): boolean {
  const name = HOST_HEADER.exec(request.headers.host?.toString() ?? "")?.[1];
  return isFromHere(request) && name !== undefined && isLoopbackHost(name);
}

/** Whether a request was sent by a script of this service's own pages, in a browser on this machine. Browsers add
 *  `Origin` to every request that is no GET, and no page can change it; the origin's port tells other programs' pages
 *  on this machine apart. */
export function isFromOwnPage(request: Origin): boolean {
  const { host, origin, "sec-fetch-site": site } = request.headers;
  return isAddressedHere(request) && origin === `http://${host}` && (site === undefined || site === "same-origin");
}
