// The teeth of a smile end where the portrait says, not where the marks of the lips lie.
import t from "tap";
import { measureTeethInset } from "../../../../../src/face/rig/measure/visible-teeth.ts";
import { finder } from "../../../../helpers/faces/face-of.ts";
import { photographedRegion, REGION_PX as REGION } from "../../../../helpers/faces/photographed-region.ts";

t.teardown(() => finder.close());

const TEETH = 220;
const LIP = [170, 90, 90] as const;

t.test("teeth are measured from both lips, without the edges of these", async (t) => {
  const { region, geometry } = await photographedRegion();
  const { mouth } = geometry;
  const pixel = 1 / mouth.frame.unitPx;
  t.ok(mouth.maxGap * mouth.frame.unitPx > 8, "he smiles with teeth");
  for (const [above, below] of [
    [0, 0],
    [0.1, 0.3],
  ]) {
    for (let at = 0; at < REGION * REGION; at++) {
      const u = mouth.frame.u(at % REGION, Math.floor(at / REGION));
      const v = mouth.frame.v(at % REGION, Math.floor(at / REGION));
      const gap = mouth.innerLower(u) - mouth.innerUpper(u);
      const isTeeth = v > mouth.innerUpper(u) + above * gap && v < mouth.innerLower(u) - below * gap;
      region.data.set(isTeeth ? [TEETH, TEETH, TEETH] : LIP, 3 * at);
    }
    const inset = measureTeethInset(region, geometry);
    const gap = mouth.innerLower(0) - mouth.innerUpper(0);
    t.ok(Math.abs(inset.top - above * gap) < 2.5 * pixel, `top ${inset.top / pixel} px`);
    t.ok(Math.abs(inset.bottom - below * gap) < 2.5 * pixel, `bottom ${inset.bottom / pixel} px`);
  }
});
