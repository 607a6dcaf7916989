// When the churn of sessions counts memory as grown.
import t from "tap";
import { isFlat } from "../../../lab/soak/sessions/is-flat.ts";

const samples = (...values: number[]) => values.map((serviceMb) => ({ serviceMb }));

t.test("memory that breathes is flat, memory that climbs is not", async (t) => {
  t.ok(isFlat(samples(300, 340, 352, 338, 361, 344, 350, 342, 355, 341)), "after caches are filled");
  t.notOk(isFlat(samples(300, 340, 355, 370, 386, 400, 414, 431, 445, 460)), "15 MB a sample");
  t.ok(isFlat(samples(300, 400, 500)), "three samples prove nothing");
});
