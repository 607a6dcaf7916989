// JSON schema of face marks, for the REST API and the command line.
import { z } from "zod";
import { FACE_MARK_NAMES, FACE_MARKS, type FaceMarks } from "./face-marks.ts";

/** Upper limit of a portrait's size. */
const MAX_COORDINATE_PX = 4096;
const coordinate = z.number().min(-1).max(MAX_COORDINATE_PX);
const markSchema = z
  .object({
    x: coordinate.meta({ description: "From the left edge of the portrait, in px" }),
    y: coordinate.meta({ description: "From the top edge of the portrait, in px" }),
  })
  .meta({ id: "FaceMark" });

/** Where each mark belongs. */
export const WHERE_MARKS_BELONG: Readonly<Record<string, string>> = Object.fromEntries(
  FACE_MARKS.map(({ name, where }) => [name, where]),
);

/** Every mark by its name, in px of the portrait. */
export const faceMarksSchema = z
  .object(
    Object.fromEntries(
      FACE_MARK_NAMES.map((name) => [name, markSchema.meta({ description: WHERE_MARKS_BELONG[name] })]),
    ) as { [Name in keyof FaceMarks]: typeof markSchema },
  )
  .meta({ id: "FaceMarks", description: "Left and right are as seen in the image" });
