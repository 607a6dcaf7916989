// The gestures of an `.imx`: those of every file, or those that were made for the agent.
import type { Imx } from "../imx/imx.ts";
import { gestureTracks } from "./gesture-track.ts";

/** How gestures are made for an agent. */
export interface DynamicsOptions {
  /** Length of each gesture, 1 to 10. */
  seconds: number;
  /** Integer. */
  seed: number;
}

/** The avatar with gestures of its own, fitted to its face. Throws RangeError for a length out of range. */
export function withDynamics(imx: Imx, { seconds, seed }: DynamicsOptions): Imx {
  const gestures = gestureTracks({ seconds, seed, face: imx.manifest.gestureFace });
  return {
    ...imx,
    manifest: { ...imx.manifest, gestures: [...gestures.keys()], dynamics: { seconds, seed } },
    gestures,
  };
}

/** The avatar with gestures made as those of its earlier file were, if they were made for the agent; otherwise
 *  unchanged. */
export function withDynamicsOf(imx: Imx, { manifest: { dynamics } }: Imx): Imx {
  return dynamics ? withDynamics(imx, dynamics) : imx;
}
