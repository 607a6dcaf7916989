// How the HTML of a page names the address that all routes lie below. The service may sit behind a path prefix that it
// does not know, so the address is relative, and depends on the depth of the page's own address.

/** Stands in built HTML for the way to the root, before every file and every link to another page. */
export const ROOT_PLACEHOLDER = "__root__/";

/** HTML for an address: `/docs` reaches the root by `./`, `/embed/demo` by `../`. */
export function withPageRoot(html: string, path: string): string {
  const depth = path.split("/").length - 2;
  return html.replaceAll(ROOT_PLACEHOLDER, depth > 0 ? "../".repeat(depth) : "./");
}
