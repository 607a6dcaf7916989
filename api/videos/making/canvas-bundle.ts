// Bundles for canvases that callers chose: baked by the first film that needs one, then kept for the next.
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import type { CanvasSize } from "../../../src/face/figure/canvas-sizes.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import { findBakeSource } from "../../agents/models/bake-model.ts";
import type { BakeTask } from "../../agents/portraits/portrait-messages.ts";
import type { Agent } from "../../agents/record/agent.ts";
import type { VideoServices } from "../video-services.ts";
import { findEnlargement, noteBundle } from "../video-store.ts";

export interface CanvasBundle {
  /** Of its object. */
  key: string;
  isStored: boolean;
  /** Pixels of the canvas for each pixel of the portrait; null unless it is stored. */
  enlargement: number | null;
}

/** The bundle of an agent for a canvas, by this version's generator. The agent's row id makes its key unguessable. */
export async function findCanvasBundle(
  { database, storage }: VideoServices,
  { id, revision }: Agent,
  family: ModelFamily,
  { widthPx, heightPx }: CanvasSize,
): Promise<CanvasBundle> {
  const key = `models/${id}-${revision}-${family}-${widthPx}x${heightPx}-${RIG_GENERATOR_VERSION}.imx`;
  const enlargement = await findEnlargement(database, id, key);
  return { key, isStored: enlargement !== null && (await storage.sizeOf(key)) !== null, enlargement };
}

/** What to bake. Throws IMAGE_FACE_UNSUITABLE and the errors of `findBakeSource`. */
export async function canvasBakeTask(
  { storage, portraits }: VideoServices,
  agent: Agent,
  family: ModelFamily,
  canvas: CanvasSize,
): Promise<BakeTask> {
  const source = await findBakeSource({ storage, ...portraits }, agent);
  if (!("points" in source)) throw new ServiceError("IMAGE_FACE_UNSUITABLE", source.reason);
  const { aspectRatio, transparency: isTransparent } = agent;
  return { task: "bake", ...source, family, aspectRatio, isTransparent, canvas };
}

/** Stores a bundle under its key, which is noted with the video first, so that the deletion of the agent finds it. */
export async function keepBundle(
  { database, storage }: VideoServices,
  videoId: string,
  key: string,
  path: string,
): Promise<void> {
  if (!(await noteBundle(database, videoId, key))) return;
  await storage.putFile(key, path);
  // The agent may have been deleted, with what its videos had noted, in between.
  if (!(await noteBundle(database, videoId, key))) await storage.delete(key);
}
