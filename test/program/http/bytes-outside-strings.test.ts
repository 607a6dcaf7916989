import t from "tap";
import { bytesOutsideStrings } from "../../../program/http/bytes-outside-strings.ts";

const count = (json: string, most = 1_000) => bytesOutsideStrings(Buffer.from(json), most);

t.test("bytes in strings are not counted, whatever they hold", async (t) => {
  t.equal(count('{"a":"[[[[,,,,"}'), 5);
  t.equal(count('{"a\\"b":"\\\\","ö":1}'), 9);
  t.equal(count("[ 1, 2 ]"), 8);
  t.equal(count('"no end ['), 1);
  t.equal(count('"a backslash at the end \\'), 1);
  t.equal(count(""), 0);
});

t.test("counting stops above the limit", async (t) => {
  t.equal(count("[".repeat(100), 10), 11);
  t.equal(count('""'.repeat(100), 10), 11, "strings are counted, too");
});
