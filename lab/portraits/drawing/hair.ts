// Hair styles by name.
import { bun, headscarf } from "./covered-hair.ts";
import { afro, curls } from "./curly-hair.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { HairBrush } from "./hair-lock.ts";
import type { HairLayers } from "./hair-outline.ts";
import { bob, flowing } from "./long-hair.ts";
import type { HairStyle, PersonStyle } from "./portrait-style.ts";
import { seededRandom } from "./random.ts";
import { crop, fringe, quiff, shaved } from "./short-hair.ts";

const STYLES: Record<HairStyle, (brush: HairBrush) => HairLayers> = {
  "long-waves": (brush) => flowing(brush, 1.42, 0.07),
  lob: (brush) => flowing(brush, 1.12, 0.05),
  bob,
  crop,
  fringe,
  quiff,
  shaved,
  afro,
  curls,
  bun,
  headscarf,
};

/** Draws a head of hair. The same style gives the same image. */
export function paintHair(geometry: FaceGeometry, hair: PersonStyle["hair"]): HairLayers {
  const brush = new HairBrush(geometry, hair.colour, seededRandom(hair.seed), "hair");
  return STYLES[hair.style](brush);
}
