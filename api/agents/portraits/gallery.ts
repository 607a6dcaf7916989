// The bundled portraits, for agents without an image.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { partFolder } from "../../../program/parts/find-part.ts";
import { hash } from "../creation/persona.ts";

const FACE_POINTS = 478;
/** When the portraits last changed. */
export const GALLERY_UPDATED = "2026-11-23";

const colourSchema = z.tuple([z.number(), z.number(), z.number()]);
const entrySchema = z.object({
  id: z.string(),
  file: z.string(),
  name: z.string(),
  gender: z.enum(["female", "male", ""]).catch(""),
  age: z.union([z.string(), z.number()]),
  tags: z.array(z.string()),
  kind: z.enum(["person", "animal", "robot"]),
  /** File with the face points, beside the image. */
  points: z.string(),
  style: z.object({ tooth: colourSchema.optional(), skin: colourSchema.optional() }),
  voice: z.string(),
  licence: z.string(),
  /** The known work of art that the portrait is, if it is one. */
  work: z.object({ title: z.string(), painter: z.string(), year: z.string(), museum: z.string() }).optional(),
});
const pointsSchema = z.array(z.tuple([z.number(), z.number(), z.number()])).length(FACE_POINTS);

export type GalleryEntry = z.infer<typeof entrySchema>;

/** The input of a bake of a bundled portrait. */
export interface GalleryPortrait {
  /** The image file. */
  bytes: Uint8Array;
  /** Exact face points: float32 [478 × 3] in px of the image, flat. */
  points: Float32Array;
}

export interface GalleryRequest {
  prompt: string;
  gender: "female" | "male" | "";
  /** Excludes animals and robots, for models that show only people. */
  mustBePerson: boolean;
  /** The kind of character that the prompt describes. */
  subject: GalleryEntry["kind"];
}

export interface Gallery {
  readonly entries: readonly GalleryEntry[];
  /** The entry that matches a request best. Equal requests get the same entry. A famous face is chosen only for a
   *  prompt that says its name or one of its tags. */
  choose(request: GalleryRequest): GalleryEntry;
  /** Loads an entry's image and points. Throws RangeError for an unknown id. */
  load(id: string): Promise<GalleryPortrait>;
}

/** Score for each property that a request and an entry share. Kind outweighs gender; gender outweighs any number of
 *  tags. */
const KIND_SCORE = 100;
const GENDER_SCORE = 40;
const TAG_SCORE = 3;
const NAME_SCORE = 30;
const MAX_SCORED_TAGS = 8;

/** Opens a gallery folder. Throws if its index is malformed. */
export async function openGallery(folder: string = fileURLToPath(partFolder("gallery"))): Promise<Gallery> {
  const entries = z
    .array(entrySchema)
    .min(1)
    .parse(JSON.parse(await readFile(join(folder, "gallery.json"), "utf8")));
  return {
    entries,
    choose: (request) => chooseEntry(entries, request),
    async load(id) {
      const entry = entries.find((candidate) => candidate.id === id);
      if (!entry) throw new RangeError(`no gallery portrait ${id}`);
      const [bytes, points] = await Promise.all([
        readFile(join(folder, entry.file)),
        readFile(join(folder, entry.points), "utf8"),
      ]);
      return { bytes, points: Float32Array.from(pointsSchema.parse(JSON.parse(points)).flat()) };
    },
  };
}

function chooseEntry(entries: readonly GalleryEntry[], request: GalleryRequest): GalleryEntry {
  const words = new Set(wordsOf(request.prompt));
  const isNamed = (entry: GalleryEntry) => wordsOf(entry.name).every((word) => words.has(word));
  const tagsOf = (entry: GalleryEntry) => entry.tags.filter((tag) => words.has(tag.toLowerCase())).length;
  const askedFor = entries.filter((entry) => !entry.work || isNamed(entry) || tagsOf(entry) > 0);
  const people = askedFor.filter(({ kind }) => kind === "person");
  const candidates = request.mustBePerson && people.length > 0 ? people : askedFor;
  const score = (entry: GalleryEntry) =>
    (entry.kind === request.subject ? KIND_SCORE : 0) +
    (request.gender !== "" && entry.gender === request.gender ? GENDER_SCORE : 0) +
    (isNamed(entry) ? NAME_SCORE : 0) +
    TAG_SCORE * Math.min(tagsOf(entry), MAX_SCORED_TAGS);
  const best = Math.max(...candidates.map(score));
  // A hash of prompt and id breaks ties, so that adding a portrait changes few choices.
  return candidates
    .filter((entry) => score(entry) === best)
    .reduce((chosen, entry) =>
      hash(`${request.prompt}\n${entry.id}`) > hash(`${request.prompt}\n${chosen.id}`) ? entry : chosen,
    );
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}
