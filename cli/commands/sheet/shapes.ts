// What `avatar sheet`, `gallery-sheet` and `gesture-sheet` print with --json.
import { z } from "zod";

export const sheetShape = z.strictObject({
  output: z.string(),
  film: z.string().nullable(),
  poses: z.array(z.string()),
  changes: z
    .array(z.strictObject({ pose: z.string(), changedShare: z.number(), largest: z.number() }))
    .nullable()
    .meta({ description: "Poses that differ from the earlier sheet; null if none was given" }),
});

export const gallerySheetShape = z.strictObject({
  output: z.string(),
  pictures: z.array(
    z.strictObject({
      name: z.string(),
      regionPx: z.number().nullable(),
      bakeCpuSeconds: z.number(),
      notes: z.array(z.string()),
    }),
  ),
});

export const gestureSheetShape = z.strictObject({
  output: z.string(),
  faces: z.array(z.strictObject({ name: z.string(), largestSteps: z.record(z.string(), z.number()) })),
});
