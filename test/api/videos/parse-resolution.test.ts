import t from "tap";
import { parseResolution } from "../../../api/videos/parse-resolution.ts";

t.test("a resolution is a name, in the agent's aspect ratio, or two even numbers", async (t) => {
  t.same(parseResolution("720p", "1:1"), { widthPx: 720, heightPx: 720 });
  t.same(parseResolution("1080p", "9:16"), { widthPx: 1080, heightPx: 1920 });
  t.same(parseResolution("416x720", "1:1"), { widthPx: 416, heightPx: 720 });
});

t.test("anything else is refused, names that every object has among them", async (t) => {
  for (const resolution of [
    "4k",
    "417x720",
    "254x720",
    "1082x1082",
    "2000x1080",
    " 720p",
    "constructor",
    "__proto__",
  ]) {
    t.throws(() => parseResolution(resolution, "1:1"), { code: "VALIDATION_ERROR" }, resolution);
  }
});
