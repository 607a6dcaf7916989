// The `redirect` parameter of downloads.

/** Values of `redirect` that request JSON. Source: the contract. */
const NO_REDIRECT = ["false", "0", "no"];

/** True if a caller wants the URL as JSON instead of a redirect. */
export function asksForJson(redirect: string | undefined): boolean {
  return NO_REDIRECT.includes(redirect?.toLowerCase() ?? "");
}
