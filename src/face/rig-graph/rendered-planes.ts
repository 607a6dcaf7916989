// What the parts of a rig graph return.

/** Planes of a part of the region, as bytes: names of the values `y` [1, 1, h, w] and `uv` [1, 2, h/2, w/2]. */
export interface RenderedPlanes {
  y: string;
  uv: string;
}
