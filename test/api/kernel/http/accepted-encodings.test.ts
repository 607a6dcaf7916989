// Which compressions a caller takes.
import t from "tap";
import { encodingsOf } from "../../../../api/kernel/http/accepted-encodings.ts";

t.test("a caller gets the smallest compression that it takes", async (t) => {
  const cases: Record<string, string[]> = {
    "": [],
    identity: [],
    gzip: ["gzip"],
    "gzip, deflate, br, zstd": ["br", "gzip"],
    "br;q=0, gzip;q=0.5": ["gzip"],
    "BR ; Q=0.000": [],
    "*": ["br", "gzip"],
    "*, br;q=0": ["gzip"],
    "brotli, gzipped": [],
  };
  for (const [header, expected] of Object.entries(cases)) t.same(encodingsOf(header), expected, header || "none");
});
