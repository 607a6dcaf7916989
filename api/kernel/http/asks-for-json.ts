// The `redirect` parameter of downloads.

/** Values that ask for JSON. Source: the contract. */
const NO_REDIRECT = ["false", "0", "no"];

/** True if a caller wants to be told the place as JSON instead of being sent there. */
export function asksForJson(redirect: string | undefined): boolean {
  return NO_REDIRECT.includes(redirect?.toLowerCase() ?? "");
}
