// Colours of skin, lips and teeth, measured in a portrait or given for a drawn character.
import type { RgbImage } from "../../../signal/image/raster.ts";
import { median } from "../../../signal/math/statistics.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { inTone, measureTone, type PortraitTone } from "./portrait-tone.ts";
import { luma, type Rgb, scale } from "./rgb.ts";
import { measureTeethInset, type TeethInset } from "./visible-teeth.ts";

/** Hints about a drawn character, all optional. Colours 0..255. */
export interface StyleHints {
  tooth?: Rgb;
  skin?: Rgb;
  /** True: the teeth in the image are used. Default: decided from the image. */
  ownTeeth?: boolean;
  /** True: flat drawing, no lower teeth. Default false. */
  isFlat?: boolean;
}

export interface PortraitStyle {
  skin: Rgb;
  lip: Rgb;
  tooth: Rgb;
  cavity: Rgb;
  /** Brightness gradient of the face to the right in the image, per mm, as a share of its brightness: light from one
   *  side. */
  lightPerMm: number;
  tone: PortraitTone;
  /** Where the teeth of the portrait end, if they are used; null if teeth are drawn. */
  ownTeeth: TeethInset | null;
  isFlat: boolean;
}

/** Minimum width of the gap between parted lips, in half mouth widths, for using the photo's teeth. */
const OWN_TEETH_GAP = 0.18;
/** Minimum brightness of teeth, as a share of the skin's; a dark opening has none. */
const OWN_TEETH_BRIGHTNESS = 0.75;

/** Teeth are brighter than the whites of the eyes, which lie in shade, by no more than this. */
const WHITE_SHARE = 1.4;
const WHITE_EXTRA = 45;

/** Teeth lie in light that skin and lips reflect: they have this share of the skin's chroma, up to a limit, because
 *  dark skin has more chroma by itself. And this share of the brightness that the whites of the eyes suggest. Measured
 *  on the teeth of eight smiles: 0.35 to 0.55, and 0.8 to 1.06. */
const TOOTH_CHROMA = 0.42;
const MOST_CHROMA = 0.35;
const TOOTH_BRIGHTNESS = 0.93;

/** |u| of the middle of the cheeks that are measured. */
const CHEEK_U = 1.2;
/** Limit of the measured gradient: the cheeks differ more if half of the face is in shadow, but the teeth do not. */
const MOST_LIGHT_PER_MM = 0.008;

/** Colours measured on the region, except where hints give them. */
export function measureStyle(region: RgbImage, geometry: FaceGeometry, hints: StyleHints = {}): PortraitStyle {
  const { mouth, regionPx } = geometry;
  const skin: number[] = [];
  const lip: number[] = [];
  const opening: number[] = [];
  for (let y = 0; y < regionPx; y++) {
    for (let x = 0; x < regionPx; x++) {
      const u = Math.abs(mouth.frame.u(x, y));
      if (u >= 1.5) continue;
      const signedU = mouth.frame.u(x, y);
      const v = mouth.frame.v(x, y);
      const at = y * regionPx + x;
      const upper = mouth.innerUpper(signedU);
      const lower = mouth.innerLower(signedU);
      // Cheeks beside the nose, which moustaches and beards do not cover.
      if (u > 0.9 && v > 1.3 * mouth.noseV && v < 0.7 * mouth.noseV) skin.push(at);
      if (u < 0.5 && v > lower + 0.02 && v < mouth.outerLower(signedU) - 0.02) lip.push(at);
      if (u < 0.6 && v > upper + 0.03 && v < upper + 0.6 * (lower - upper)) opening.push(at);
    }
  }
  const skinColour = hints.skin ?? medianColour(region, skin, [200, 160, 140]);
  const brightness = luma(skinColour);
  const tone = measureTone(region, geometry);
  const white = Math.min(240, Math.max(165, 1.15 * brightness + 45), WHITE_SHARE * tone.white + WHITE_EXTRA);
  const cheek = (side: -1 | 1) => {
    const pixels = skin.filter((at) => side * mouth.frame.u(at % regionPx, Math.floor(at / regionPx)) > 0);
    return luma(medianColour(region, pixels, skinColour));
  };
  const apartMm = (2 * CHEEK_U * mouth.frame.unitPx) / geometry.pixelsPerMm;
  const lightPerMm = (cheek(1) - cheek(-1)) / Math.max(1, brightness) / apartMm;
  const showsTeeth = luma(medianColour(region, opening, [0, 0, 0])) > OWN_TEETH_BRIGHTNESS * brightness;
  const hasOwnTeeth = hints.ownTeeth ?? (mouth.maxGap > OWN_TEETH_GAP && showsTeeth);
  return {
    skin: skinColour,
    lip: medianColour(region, lip, scale(skinColour, [0.85, 0.6, 0.6])),
    tooth: hints.tooth ?? toothColour(TOOTH_BRIGHTNESS * white, skinColour, tone),
    cavity: inTone([0.16 * 0.9 * brightness + 6, 0.05 * 0.9 * brightness + 2, 0.05 * 0.9 * brightness + 2], tone),
    tone,
    lightPerMm: Math.min(MOST_LIGHT_PER_MM, Math.max(-MOST_LIGHT_PER_MM, lightPerMm)),
    ownTeeth: hasOwnTeeth ? measureTeethInset(region, geometry) : null,
    isFlat: hints.isFlat ?? false,
  };
}

/** White as the portrait renders it, warmed by the skin around it. Grey where the portrait has no colours. */
function toothColour(white: number, skin: Rgb, { grey, saturation }: PortraitTone): Rgb {
  const brightness = Math.max(1, luma(skin));
  const channel = (i: 0 | 1 | 2) => {
    const chroma = Math.min(MOST_CHROMA, Math.max(-MOST_CHROMA, skin[i] / (brightness * grey[i]) - 1));
    return white * grey[i] * (1 + saturation * TOOTH_CHROMA * chroma);
  };
  return [channel(0), channel(1), channel(2)];
}

function medianColour(region: RgbImage, pixels: readonly number[], fallback: Rgb): Rgb {
  if (pixels.length === 0) return fallback;
  const channel = (offset: number) => median(pixels.map((pixel) => region.data[3 * pixel + offset]));
  return [channel(0), channel(1), channel(2)];
}
