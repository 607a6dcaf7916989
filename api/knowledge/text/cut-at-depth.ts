// Limits the depth of a page's elements before the page is parsed: the parser's work grows with the square of the
// depth.
import { Parser } from "htmlparser2";

/** The beginning of an HTML text, up to the first element with more than `maxDepth` ancestors, or the whole text.
 *  Counts as a browser does: elements that end implicitly, such as `<br>` or one `<li>` before the next, have no
 *  children. Never throws. */
export function cutAtDepth(html: string, maxDepth: number): string {
  let depth = 0;
  let end = html.length;
  const parser = new Parser({
    onopentagname() {
      if (depth++ < maxDepth) return;
      end = parser.startIndex;
      parser.pause();
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  return html.slice(0, end);
}
