// Tells requests of this service's own pages from those of other sites.
import { ServiceError } from "../../../shared/errors.ts";
import type { HttpMethod } from "../../kernel/http/route.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Throws FORBIDDEN unless one of this service's pages sent the request. Browsers say so in `Sec-Fetch-Site`, which no
 *  page can change. Over plain HTTP they send it to this machine only: elsewhere `Origin` decides, which comes with
 *  everything but a GET. Other sites' GETs bring no cookie, because it is SameSite=Strict. */
export function assertOwnSite(headers: Headers, method: HttpMethod, publicUrl: string): void {
  if (isOwnSite(headers, method, publicUrl)) return;
  throw new ServiceError("FORBIDDEN", "Only the pages of this service may send this request. Open /console.");
}

function isOwnSite(headers: Headers, method: HttpMethod, publicUrl: string): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return method === "get";
  return origin === new URL(publicUrl).origin || origin === `http://${host}`;
}

/** Throws UNSUPPORTED_TYPE for a body that is announced as anything but JSON: forms of other sites are sent without
 *  the service's consent. */
export function assertJsonType(headers: Headers): void {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!hasBody || /^application\/json\s*(;|$)/i.test(String(headers["content-type"] ?? ""))) return;
  throw new ServiceError("UNSUPPORTED_TYPE", "The body must be application/json");
}
