// Which page is meant by an address that does not exist.

/** More slips than this are another word. */
const MOST_SLIPS = 2;

/** What addresses of the API and of earlier versions, and words that people try, lead to. */
const KNOWN_WORDS: Readonly<Record<string, string>> = {
  api: "docs",
  swagger: "docs",
  openapi: "docs",
  reference: "docs",
  v1: "docs",
  v2: "docs",
  embed: "demo",
  home: "",
  index: "",
  plan: "account/plan",
  credits: "account/plan",
  account: "account/plan",
};

/** The nearest of `pages` (paths below the service's root, without a slash in front), or undefined. `path` is the
 *  unknown address below that root. */
export function nearestPage(path: string, pages: readonly string[]): string | undefined {
  const words = path.toLowerCase().split(/[/.]/).filter(Boolean);
  const first = words[0] ?? "";
  const known = Object.hasOwn(KNOWN_WORDS, first) ? KNOWN_WORDS[first] : undefined;
  if (known !== undefined && pages.includes(known)) return known;
  const near = pages
    .filter((page) => page !== "")
    .map((page) => ({ page, slips: slipsBetween(first, page.split("/")[0]) }))
    .sort((left, right) => left.slips - right.slips)[0];
  return near !== undefined && near.slips <= MOST_SLIPS && near.slips < first.length ? near.page : undefined;
}

/** Letters to add, leave out or change, and neighbours to swap, until two words are the same. */
function slipsBetween(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      rows[row][column] = Math.min(
        rows[row - 1][column] + 1,
        rows[row][column - 1] + 1,
        rows[row - 1][column - 1] + (isSame ? 0 : 1),
        isSwapped ? rows[row - 2][column - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return rows[left.length][right.length];
}
