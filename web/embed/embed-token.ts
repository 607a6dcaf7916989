// The embed token arrives in the page's address and must not stay there: addresses end up in histories, logs and
// screenshots. The tab keeps it, so that a page that is loaded again goes on with the same conversation.
import type { TabValues } from "./tab-values.ts";

/** What an address of the page carries. */
export interface EmbedAddress {
  /** The embed token; undefined if the address has none. */
  token: string | undefined;
  /** The same address without the token, for the address bar: path, query and fragment. */
  cleanAddress: string;
}

/** Takes the token out of `?token=` or `#token=` (the fragment wins: it never reaches a server). Other parameters stay.
 *  Throws TypeError if the string is not an absolute URL. */
export function takeToken(address: string): EmbedAddress {
  const url = new URL(address);
  const fragment = new URLSearchParams(url.hash.slice(1));
  const token = fragment.get("token") || url.searchParams.get("token") || undefined;
  url.searchParams.delete("token");
  if (fragment.has("token")) {
    fragment.delete("token");
    url.hash = fragment.toString();
  }
  return { token, cleanAddress: url.pathname + url.search + url.hash };
}

/** The token of an address, which the tab keeps from now on; without one, the token that it has kept for this page. */
export function keepToken(
  { token, cleanAddress }: EmbedAddress,
  tab: Pick<TabValues, "read" | "write">,
): string | undefined {
  const [page] = cleanAddress.split(/[?#]/);
  const name = `token ${page}`;
  if (token === undefined) return tab.read(name);
  tab.write(name, token);
  return token;
}
