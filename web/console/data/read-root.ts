// Where everything of the service lies. It may be behind a path prefix that the service does not know.

/** The address of the start page, with a slash at the end: the page's header links to it. Throws TypeError on a page
 *  without a header. */
export function readRoot(page: Document): URL {
  const home = page.querySelector<HTMLAnchorElement>(".site-name");
  if (!home) throw new TypeError("the page lacks its header");
  return new URL(home.href);
}

/** Makes what the page has loaded, and what it links to, independent of the page's address, which changes with the
 *  views. */
export function pinAddresses(page: Document): void {
  for (const link of page.querySelectorAll<HTMLLinkElement | HTMLAnchorElement>(
    "link[href]:not([rel=preload]), a[href]",
  )) {
    link.href = `${link.href}`;
  }
  for (const image of page.querySelectorAll("img")) image.src = `${image.src}`;
}
