// Bakes a model from an agent's portrait into an `.imx` in object storage.
import { ServiceError } from "../../../shared/errors.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { meshFromMarks } from "../../../src/face/portrait/mesh-from-marks.ts";
import { describeBakeNote } from "../../../src/face/rig/bake-notes.ts";
import type { StyleHints } from "../../../src/face/rig/measure/portrait-style.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import type { Gallery } from "../portraits/gallery.ts";
import type { BakeResult, LocateResult } from "../portraits/portrait-messages.ts";
import type { Baker } from "../portraits/portrait-process.ts";
import type { Agent } from "../record/agent.ts";
import type { ModelArtifact } from "./agent-model-store.ts";

/** An image with its face points. */
export interface BakeSource {
  /** Image file. */
  bytes: Uint8Array;
  /** float32 [478 × 3], px. */
  points: Float32Array;
  style: StyleHints | null;
  /** The earlier `.imx`; its gestures are kept if they were made for the agent. */
  gesturesOf?: Uint8Array;
}

export interface BakedModel extends ModelArtifact {
  /** What the agent's owner should know about it, in sentences; null if there is nothing. */
  note: string | null;
}

export interface BakeServices {
  storage: ObjectStorage;
  gallery: Gallery;
  baker: Baker;
}

/** The image and face points to bake an agent's models from: a portrait of the gallery with its exact points, or the
 *  stored portrait with the points that a person placed or that the finder is sure of. Otherwise returns the finder's
 *  guess. A portrait that has left the gallery is taken from storage. Throws MODEL_PREREQUISITE_MISSING without a
 *  portrait, and the errors of decoding the image. */
export async function findBakeSource(
  services: BakeServices,
  agent: Agent,
): Promise<BakeSource | (LocateResult & { isSure: false })> {
  const entry = services.gallery.entries.find(({ id }) => id === agent.galleryId);
  if (entry) return { ...(await services.gallery.load(entry.id)), style: entry.style };
  if (!agent.portraitKey) throw new ServiceError("MODEL_PREREQUISITE_MISSING", `Agent ${agent.code} has no portrait`);
  const bytes = await services.storage.readAll(agent.portraitKey);
  if (agent.faceMarks) return { bytes, points: meshFromMarks(agent.faceMarks), style: null };
  const located = await services.baker.locate({ bytes });
  return located.isSure ? { bytes, points: located.points, style: null } : located;
}

/** Bakes a model and stores its file, without writing to the database: a repeated run makes another file, and the row
 *  decides which one counts. `onProgress` gets values from 0 to 1. Throws the ServiceError of the image or the error of
 *  the child process. */
export async function bakeModel(
  services: BakeServices,
  agent: Agent,
  family: ModelFamily,
  source: BakeSource,
  onProgress?: (share: number) => void,
): Promise<BakedModel> {
  const { imx, generatorVersion, notes } = await bakeFile(services, agent, family, source, onProgress);
  const artifact = await services.storage.put(artifactKey(agent, family), imx);
  const sentences = notes.map((note) => describeBakeNote(note, agent.aspectRatio));
  return { ...artifact, generatorVersion, note: sentences.length > 0 ? sentences.join(" ") : null };
}

/** Bakes a model with the agent's options, without storing it. Throws as `bakeModel`. */
export function bakeFile(
  { baker }: { baker: Baker },
  { aspectRatio, transparency: isTransparent }: Agent,
  family: ModelFamily,
  source: BakeSource,
  onProgress?: (share: number) => void,
): Promise<BakeResult> {
  return baker.bake({ ...source, family, aspectRatio, isTransparent }, onProgress);
}

/** The key is unique to agent, revision and model, so a repeated bake replaces its own file. The row id makes it
 *  unguessable. */
function artifactKey(agent: Agent, family: ModelFamily): string {
  return `models/${agent.id}-${agent.revision}-${family}.imx`;
}
