// Sites that may show an agent's public page in a frame, as CSP host sources.

/** A CSP host source of one site or of all its subdomains. Anything else could end the directive and begin another. */
const SOURCE = /^(https?):\/\/(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[::1\])(:\d{1,5})?$/;
/** Addresses of the visitor's own machine, which need no HTTPS. */
const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const ALL_SUBDOMAINS = "*.";
/** `URL` takes no star; no host has this name. */
const STAND_IN = "any-subdomain.";

/** The site in the form in which browsers name it: lower case, Punycode, without the default port. Undefined if the
 *  text is no origin with `https:`, or with `http:` on the visitor's own machine. `https://*.shop.example` stands for
 *  all subdomains, and needs a domain of two labels or more. */
export function parseSiteOrigin(text: string): string | undefined {
  const [, scheme, star = "", rest = ""] = /^(https?:\/\/)(\*\.)?([^*/?#@\\\s]+)\/?$/i.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const address = `${scheme}${star && STAND_IN}${rest}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const host = star ? url.hostname.slice(STAND_IN.length) : url.hostname;
  const isLocal = LOCAL_HOSTS.includes(host);
  if (url.protocol === "http:" && !isLocal) return undefined;
  if (star && (isLocal || !host.includes(".") || /^[\d.]+$/.test(host))) return undefined;
  const origin = star ? url.origin.replace(STAND_IN, ALL_SUBDOMAINS) : url.origin;
  return SOURCE.test(origin) ? origin : undefined;
}
