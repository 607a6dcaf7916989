// The face of launches without an agent and without an image: a bundled portrait.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { requirePart } from "../../../program/parts/find-part.ts";
import type { BakeTask } from "./face-messages.ts";

const ID = "maya";

const colour = z.tuple([z.number(), z.number(), z.number()]);
const gallerySchema = z.array(
  z.object({
    id: z.string(),
    file: z.string(),
    points: z.string(),
    style: z.object({ tooth: colour.optional(), skin: colour.optional() }),
  }),
);
const pointsSchema = z.array(z.tuple([z.number(), z.number(), z.number()]));

/** What it is baked from. */
export async function readDefaultFace(): Promise<Omit<BakeTask, "task">> {
  const folder = fileURLToPath(await requirePart("gallery"));
  const entries = gallerySchema.parse(JSON.parse(await readFile(`${folder}gallery.json`, "utf8")));
  const entry = entries.find(({ id }) => id === ID);
  if (!entry) throw new Error(`the gallery has no portrait ${ID}`);
  const [bytes, points] = await Promise.all([readFile(folder + entry.file), readFile(folder + entry.points, "utf8")]);
  return {
    bytes,
    points: Float32Array.from(pointsSchema.parse(JSON.parse(points)).flat()),
    style: entry.style,
  };
}
