// Large files make every later clone larger: weights over 10 MB are published as npm packages, except for the versions
// that git holds already (docs/decisions/0092).
import t from "tap";
import { gitLines } from "./git-lines.ts";

const LIMIT_BYTES = 10e6;
/** Hashes of blobs in git. A new version of these files leaves git. */
const COMMITTED = [
  "5b79832ca88bf63278d052d693ad70580ac76de8 models/voice/back.onnx",
  "62992a59656fd7bc4cf807c9c62fc33aa35fc6a1 models/voice/front.onnx",
  "a4ad1e112c93995693ac869a41de7c353d75f93d models/recognition/decoder.onnx",
  "e2856fad42684abab52f3f35d836acd7acac25f7 models/recognition/encoder.onnx",
];

t.test("no file over 10 MB is added to git", async (t) => {
  const lines = await gitLines("ls-tree", "-r", "-l", "HEAD");
  const rows = lines.map((line) => /^\d+ blob (\w+) +(\d+)\t(.+)$/.exec(line));
  t.ok(rows.length > 1000);
  const large = rows.flatMap((row) => (row && Number(row[2]) > LIMIT_BYTES ? `${row[1]} ${row[3]}` : []));
  t.same(large.sort(), COMMITTED);
});
