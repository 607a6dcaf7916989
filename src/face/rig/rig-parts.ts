// All that is made of a portrait for its rig.

import type { Rgb } from "./measure/rgb.ts";
import type { RigLayers } from "./rig-layers.ts";
import type { EyeballTextures } from "./textures/eyeball-textures.ts";
import type { LidTextures } from "./textures/lid-textures.ts";
import type { LipTextures } from "./textures/lip-textures.ts";
import type { MouthInterior } from "./textures/mouth-interior.ts";

/** Layers and textures of one face. Textures have the region's size. */
export interface RigParts {
  regionPx: number;
  layers: RigLayers;
  lips: LipTextures;
  lids: LidTextures;
  eyeballs: EyeballTextures;
  interior: MouthInterior;
  cavity: Rgb;
}
