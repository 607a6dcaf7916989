// Types of the rig graph writers.

import type { Rgb } from "./measure/portrait-style.ts";
import type { RigLayers } from "./rig-layers.ts";
import type { EyeballTextures } from "./textures/eyeball-textures.ts";
import type { LidTextures } from "./textures/lid-textures.ts";
import type { LipTextures } from "./textures/lip-textures.ts";
import type { MouthInterior } from "./textures/mouth-interior.ts";

/** Input of the rig graph writer. Textures have the region's size. */
export interface RigParts {
  regionPx: number;
  layers: RigLayers;
  lips: LipTextures;
  lids: LidTextures;
  eyeballs: EyeballTextures;
  interior: MouthInterior;
  cavity: Rgb;
}

/** Planes of a part of the region, as bytes: `y` [1, 1, h, w] and `uv` [1, 2, h/2, w/2]. */
export interface RenderedPlanes {
  y: string;
  uv: string;
}
