// Bounds how deep the elements of a page lie before the page is parsed whole: a parser's work grows with the square of
// that depth.
import { Parser } from "htmlparser2";

/** The beginning of an HTML text, up to the first element with more than `maxDepth` elements around it; all of it
 *  where there is none. Counts as a browser does: elements that end by themselves, such as `<br>` or one `<li>`
 *  before the next, hold nothing. Never throws. */
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
