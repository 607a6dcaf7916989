import t from "tap";
import { columnsOf, cutToColumns, plainText } from "../../../cli/terminal/plain-text.ts";
import { fittingTable, textTable } from "../../../cli/terminal/text-table.ts";

const HEAD = ["agent", "name", "credits"];
const ROWS = [
  ["A00ABC0000", "Maya", "250"],
  ["B11DEF1111", "美雪 🙂", ""],
];

t.test("a table that fits is a table; columns of wide letters stay aligned", (t) => {
  const lines = fittingTable(HEAD, ROWS, { right: [2], columns: 80 }).split("\n");
  t.same(lines, [
    "  agent       name     credits",
    "  ──────────  ───────  ───────",
    "  A00ABC0000  Maya         250",
    "  B11DEF1111  美雪 🙂",
  ]);
  t.equal(fittingTable(HEAD, ROWS, { right: [2], columns: undefined }), lines.join("\n"), "no terminal");
  t.match(textTable(["ms", "p50"], [["decode", "1.5"]]), /\n {2}decode {2}1\.5$/);
  t.end();
});

t.test("in a terminal that is too narrow, each row is a block of its filled fields", (t) => {
  const text = fittingTable(HEAD, ROWS, { right: [2], columns: 24 });
  t.equal(text, "A00ABC0000\n  name     Maya\n  credits  250\n\nB11DEF1111\n  name     美雪 🙂");
  t.ok(text.split("\n").every((line) => columnsOf(line) <= 24));
  t.end();
});

t.test("names of others cannot steer the terminal", (t) => {
  t.equal(plainText("Ma\u001b[2J\u001b]0;title\u0007ya\r\nx\u202ey\t"), "Maya x y");
  t.equal(columnsOf("e\u0301"), 1, "an accent takes no column");
  t.equal(cutToColumns("Finding the face", 16), "Finding the face");
  t.equal(cutToColumns("Finding the face", 9), "Finding …");
  t.equal(cutToColumns("美雪美雪", 6), "美雪…", "never wider");
  t.end();
});
