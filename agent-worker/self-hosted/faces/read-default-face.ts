// The face of launches without an agent and without an image: a bundled portrait.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { BakeTask } from "./face-messages.ts";

const FOLDER = fileURLToPath(new URL("../../../models/gallery/", import.meta.url));
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
  const entries = gallerySchema.parse(JSON.parse(await readFile(`${FOLDER}gallery.json`, "utf8")));
  const entry = entries.find(({ id }) => id === ID);
  if (!entry) throw new Error(`the gallery has no portrait ${ID}`);
  const [bytes, points] = await Promise.all([readFile(FOLDER + entry.file), readFile(FOLDER + entry.points, "utf8")]);
  return {
    bytes,
    points: Float32Array.from(pointsSchema.parse(JSON.parse(points)).flat()),
    style: entry.style,
  };
}
