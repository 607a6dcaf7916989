/** A link of this service at the origin of the page. Links begin with PUBLIC_URL; a page that was opened by another
 *  name of the same machine (localhost for 127.0.0.1) may load from its own origin only. Throws TypeError if the link
 *  is no absolute URL. */
export function atOwnOrigin(link: string, pageAddress = location.href): string {
  const { pathname, search, hash } = new URL(link);
  return new URL(pathname + search + hash, pageAddress).href;
}
