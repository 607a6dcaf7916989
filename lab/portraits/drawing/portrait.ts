// One person of the gallery as a whole image.

import { paintBeard } from "./beard.ts";
import { mix, skinTones } from "./colour.ts";
import { AVERAGE_FACE, CANVAS_PX, CENTRE_X, type FaceGeometry, type FaceShape, faceGeometry } from "./face-geometry.ts";
import { paintHair } from "./hair.ts";
import { outfitDefinitions, paintOutfit } from "./outfit.ts";
import { eyeDefinitions, paintBrows, paintEyes } from "./paint-eyes.ts";
import { paintMouth } from "./paint-mouth.ts";
import { paintEars, paintFace, paintNeck, skinDefinitions } from "./paint-skin.ts";
import type { PersonStyle } from "./portrait-style.ts";
import { blurDefinitions, blurred, element, ellipse, radialGradient } from "./svg.ts";

/** A drawn image with the lines it was drawn from. */
export interface DrawnPortrait {
  /** SVG document, 768 × 768. */
  svg: string;
  geometry: FaceGeometry;
  /** Colour of bare skin (or fur, or metal) near the mouth, for the rig. */
  skin: string;
}

/** Draws a person. The same style gives the same image. */
export function drawPerson(style: PersonStyle): DrawnPortrait {
  const geometry = faceGeometry(varied(AVERAGE_FACE, style.face));
  const skin = skinTones(style.skin);
  const hair = paintHair(geometry, style.hair);
  const content = [
    background(style.background),
    hair.back,
    paintNeck(geometry, skin),
    style.hair.style === "headscarf" ? "" : paintOutfit(style.outfit),
    paintEars(geometry, skin, style.earrings),
    paintFace(geometry, skin, style),
    hair.shadow,
    paintEyes(geometry, skin, style.eyes),
    paintBrows(geometry, style.eyes),
    style.beard ? paintBeard(geometry, style.beard) : "",
    paintMouth(geometry, skin, style.lips),
    style.hair.style === "headscarf" ? paintOutfit(style.outfit) : "",
    hair.front,
  ].join("");
  const definitions =
    blurDefinitions(CANVAS_PX) +
    backgroundDefinition(style.background) +
    skinDefinitions(geometry, skin) +
    eyeDefinitions(geometry, style.eyes) +
    outfitDefinitions(style.outfit);
  return { svg: svgDocument(definitions, content), geometry, skin: skin.base };
}

/** A complete SVG document of the canvas size. */
export function svgDocument(definitions: string, content: string): string {
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: CANVAS_PX,
      height: CANVAS_PX,
      viewBox: `0 0 ${CANVAS_PX} ${CANVAS_PX}`,
    },
    element("defs", {}, definitions) + content,
  );
}

/** Gradient of a background. */
export function backgroundDefinition([inner, outer]: PersonStyle["background"]): string {
  return radialGradient("background", [mix(inner, "#ffffff", 0.18), inner, outer], { cx: 0.5, cy: 0.4, r: 0.75 });
}

/** Backdrop with a soft light and the shadow behind the shoulders. */
export function background([inner, outer]: PersonStyle["background"]): string {
  return (
    element("rect", { width: CANVAS_PX, height: CANVAS_PX, fill: "url(#background)" }) +
    ellipse([CENTRE_X - 170, 190], 190, 170, mix(inner, "#ffffff", 0.5), { opacity: 0.22, ...blurred(30) }) +
    ellipse([CENTRE_X + 40, 700], 330, 150, mix(outer, "#05060f", 0.5), { opacity: 0.3, ...blurred(30) })
  );
}

function varied(average: FaceShape, changes: PersonStyle["face"]): FaceShape {
  return {
    ...average,
    ...changes,
    eye: { ...average.eye, ...changes.eye },
    brow: { ...average.brow, ...changes.brow },
    nose: { ...average.nose, ...changes.nose },
    mouth: { ...average.mouth, ...changes.mouth },
  };
}
