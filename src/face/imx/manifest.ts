// The manifest of an `.imx`. Tabs read it, too, so it is checked with the small build of Zod.

import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { EngineError } from "../../../shared/engine-error.ts";
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import { FAMILIES } from "../../../shared/models.ts";

/** A number of this range. */
const between = (least: number, most: number) => z.number().check(z.minimum(least), z.maximum(most));
const wholeBetween = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most));
const even = z.int().check(z.multipleOf(2), z.minimum(0));
const evenBetween = (least: number, most: number) => z.int().check(z.multipleOf(2), z.minimum(least), z.maximum(most));
const share = between(0, 1);
/** Lower case only, so that no two names differ only in case. */
const name = z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,47}$/));

function areOurs(names: readonly string[]): boolean {
  return names.length >= EARLIER_PARAMETER_COUNT && names.join() === FACE_PARAMETERS.slice(0, names.length).join();
}

/** Unknown fields of later versions are ignored; the fields below are required. */
const manifestSchema = z
  .object({
    /** Model family that the rig was baked for. */
    family: z.enum(FAMILIES),
    /** Size of the whole image. */
    canvas: z.object({ widthPx: evenBetween(64, 4096), heightPx: evenBetween(64, 4096) }),
    /** The square of the canvas that the rig renders. */
    region: z.object({ x: even, y: even, sizePx: evenBetween(64, 1024) }),
    /** Inputs of the rig, in order: the first of ours, in files of earlier versions not all of them. */
    parameters: z.array(z.string()).check(z.refine(areOurs, "are not this engine's")),
    /** Parameters that close the portrait's mouth. */
    restPose: z.partialRecord(z.enum(FACE_PARAMETERS), between(-2, 2)),
    /** The lip-sync network with which the rig's parameters were tuned. */
    hearingModel: name,
    /** Names of gesture tracks; each is a member `gestures/<name>.f32`. */
    gestures: z.array(name).check(z.maxLength(32)),
    /** What the face allows its gestures; absent in files of earlier generators. See `GestureFace`. */
    gestureFace: z.optional(
      z.object({
        turned: share,
        room: share,
        winks: z.enum(["left", "right", "none"]),
        brows: share,
        mouth: share,
      }),
    ),
    /** How the gestures were made for the agent; absent if they are those that every file has. */
    dynamics: z.optional(z.object({ seconds: between(1, 10), seed: z.int32() })),
    /** Box of the face at rest in the canvas, forehead to chin: the input of a mouth network. */
    face: z.optional(z.object({ x: even, y: even, widthPx: evenBetween(16, 1024), heightPx: evenBetween(16, 1024) })),
    /** The part that moves with the breath, if the portrait shows shoulders: the cells of `chest.u8`, and the largest
     *  distance that a cell moves down, px. */
    chest: z.optional(
      z.object({ columns: wholeBetween(1, 512), rows: wholeBetween(1, 512), travelPx: between(0, 16) }),
    ),
    /** Strength of head motion, 0..1. */
    headMotion: share,
    /** Program that made the file. */
    generator: z.object({
      name: z.string().check(z.maxLength(64)),
      version: z.string().check(z.maxLength(32)),
    }),
    createdAt: z.iso.datetime(),
  })
  .check(
    z.refine(({ canvas, region }) => region.x + region.sizePx <= canvas.widthPx, "the region leaves the canvas"),
    z.refine(({ canvas, region }) => region.y + region.sizePx <= canvas.heightPx, "the region leaves the canvas"),
    z.refine(
      ({ canvas, face }) =>
        !face || (face.x + face.widthPx <= canvas.widthPx && face.y + face.heightPx <= canvas.heightPx),
      "the face leaves the canvas",
    ),
    z.refine(
      ({ canvas, chest }) => !chest || canvas.widthPx % 8 === 0,
      "a canvas with a breathing chest is a multiple of 8 px wide",
    ),
    z.refine(({ gestures }) => new Set(gestures).size === gestures.length, "a gesture is named twice"),
  );

export type ImxManifest = z.output<typeof manifestSchema>;

/** Parses a manifest from its JSON bytes. Throws EngineError(bundle-invalid) with a list of the problems. */
export function parseManifest(bytes: Uint8Array): ImxManifest {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new EngineError("bundle-invalid", "manifest.json of the .imx is not valid JSON.", { cause });
  }
  const parsed = manifestSchema.safeParse(json, { error: english().localeError });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 5).map((issue) => [...issue.path, issue.message].join(" "));
  throw new EngineError("bundle-invalid", `manifest.json of the .imx is invalid: ${problems.join("; ")}.`);
}
