// The manifest of an `.imx`.
import { z } from "zod";
import { EngineError } from "../../../shared/engine-error.ts";
import { FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import { FAMILIES } from "../../../shared/models.ts";

const share = z.number().min(0).max(1);
const even = z.int().multipleOf(2);
/** Lower case only, so that no two names differ only in case. */
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,47}$/);

/** Unknown fields of later versions are ignored; the fields below are required. */
const manifestSchema = z
  .object({
    /** Model family that the rig was baked for. */
    family: z.enum(FAMILIES),
    /** Size of the whole image. */
    canvas: z.object({ widthPx: even.min(64).max(4096), heightPx: even.min(64).max(4096) }),
    /** The square of the canvas that the rig renders. */
    region: z.object({ x: even.min(0), y: even.min(0), sizePx: even.min(64).max(1024) }),
    /** Inputs of the rig, in order. */
    parameters: z.array(z.string()).refine((names) => names.join() === FACE_PARAMETERS.join(), "are not this engine's"),
    /** Parameters that close the portrait's mouth. */
    restPose: z.partialRecord(z.enum(FACE_PARAMETERS), z.number().min(-2).max(2)),
    /** The lip-sync network with which the rig's parameters were tuned. */
    hearingModel: name,
    /** Names of gesture tracks; each is a member `gestures/<name>.f32`. */
    gestures: z.array(name).max(32),
    /** What the face allows its gestures; absent in files of earlier generators. See `GestureFace`. */
    gestureFace: z
      .object({
        turned: share,
        room: share,
        winks: z.enum(["left", "right", "none"]),
        brows: share,
        mouth: share,
      })
      .optional(),
    /** How the gestures were made for the agent; absent if they are those that every file has. */
    dynamics: z.object({ seconds: z.number().min(1).max(10), seed: z.int32() }).optional(),
    /** Box of the face at rest in the canvas, forehead to chin: the input of a mouth network. */
    face: z
      .object({ x: even.min(0), y: even.min(0), widthPx: even.min(16).max(1024), heightPx: even.min(16).max(1024) })
      .optional(),
    /** The part that moves with the breath, if the portrait shows shoulders: the cells of `chest.u8`, and the largest
     *  distance that a cell moves down, px. */
    chest: z
      .object({ columns: z.int().min(1).max(512), rows: z.int().min(1).max(512), travelPx: z.number().min(0).max(16) })
      .optional(),
    /** Strength of head motion, 0..1. */
    headMotion: z.number().min(0).max(1),
    /** Program that made the file. */
    generator: z.object({ name: z.string().max(64), version: z.string().max(32) }),
    createdAt: z.iso.datetime(),
  })
  .refine(({ canvas, region }) => region.x + region.sizePx <= canvas.widthPx, "the region leaves the canvas")
  .refine(({ canvas, region }) => region.y + region.sizePx <= canvas.heightPx, "the region leaves the canvas")
  .refine(
    ({ canvas, face }) =>
      !face || (face.x + face.widthPx <= canvas.widthPx && face.y + face.heightPx <= canvas.heightPx),
    "the face leaves the canvas",
  )
  .refine(
    ({ canvas, chest }) => !chest || canvas.widthPx % 8 === 0,
    "a canvas with a breathing chest is a multiple of 8 px wide",
  )
  .refine(({ gestures }) => new Set(gestures).size === gestures.length, "a gesture is named twice");

export type ImxManifest = z.output<typeof manifestSchema>;

/** Parses a manifest from its JSON bytes. Throws EngineError(bundle-invalid) with a list of the problems. */
export function parseManifest(bytes: Uint8Array): ImxManifest {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new EngineError("bundle-invalid", "manifest.json of the .imx is not valid JSON.", { cause });
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 5).map((issue) => [...issue.path, issue.message].join(" "));
  throw new EngineError("bundle-invalid", `manifest.json of the .imx is invalid: ${problems.join("; ")}.`);
}
