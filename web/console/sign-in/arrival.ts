// How a person has come to the console: with a link, back from an issuer, with a computer's code, or by themselves.

export type Arrival =
  | { kind: "link"; link: string }
  | { kind: "callback"; query: string }
  | { kind: "device"; code: string }
  | { kind: "open" };

/** `address`: of the page. */
export function readArrival(address: URL): Arrival {
  const path = address.pathname.replace(/\/+$/, "");
  if (path.endsWith("/console/sign-in")) {
    const link = new URLSearchParams(address.hash.slice(1)).get("link");
    return link ? { kind: "link", link } : { kind: "open" };
  }
  if (path.endsWith("/console/callback")) return { kind: "callback", query: address.search.slice(1) };
  if (path.endsWith("/device")) return { kind: "device", code: address.searchParams.get("code") ?? "" };
  return { kind: "open" };
}
