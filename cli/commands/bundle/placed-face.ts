// Reads face points that were placed by hand, for images in which face detection fails or is unsure.
import { z } from "zod";
import { checkFaceMarks } from "../../../src/face/portrait/check-face-marks.ts";
import { FACE_MARK_NAMES } from "../../../src/face/portrait/face-marks.ts";
import { faceMarksSchema } from "../../../src/face/portrait/face-marks-schema.ts";
import { meshFromMarks } from "../../../src/face/portrait/mesh-from-marks.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { readInput } from "../../terminal/read-input.ts";

const MESH_POINTS = 478;
const meshSchema = z.array(z.tuple([z.number(), z.number(), z.number()])).length(MESH_POINTS);

/** The points, float32 [478 × 3] px, of an image of this size. Throws CliError `usage` when they cannot be a face in
 *  it. */
export type PlacedFace = (image: { widthPx: number; heightPx: number }) => Float32Array;

/** Reads a JSON file with the thirty marks by name, in the format of `/v1/agent/{code}/face-marks`, or with all
 *  478 points [x, y, z]. Throws CliError `no_input` if it cannot be read, `usage` if it holds neither. */
export async function readPlacedFace(path: string): Promise<PlacedFace> {
  const json = parseJson(new TextDecoder().decode(await readInput(path)));
  const mesh = meshSchema.safeParse(json);
  if (mesh.success) return () => Float32Array.from(mesh.data.flat());
  const candidate = unwrap(json);
  const marks = faceMarksSchema.safeParse(candidate);
  if (!marks.success) {
    const wrong = new Set(marks.error.issues.map(({ path }) => path[0]?.toString()));
    const missing = FACE_MARK_NAMES.filter((name) => wrong.has(name));
    const isPartial = missing.length > 0 && missing.length < FACE_MARK_NAMES.length;
    throw new CliError("usage", `${path} has neither ${MESH_POINTS} points [x, y, z] nor thirty marks as JSON.`, {
      hint: isPartial ? `No {"x": …, "y": …} for ${missing.join(", ")}.` : undefined,
    });
  }
  return (image) => {
    const problems = checkFaceMarks(marks.data, image);
    if (problems.length > 0)
      throw new CliError("usage", `The marks in ${path} do not form a face: ${problems.join("; ")}.`);
    return meshFromMarks(marks.data);
  };
}

/** Extracts the marks from a request or response body of that route. */
function unwrap(json: unknown): unknown {
  const { data, marks } = Object(json);
  return marks ?? Object(data).marks ?? json;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Reported as a file of the wrong kind.
  }
}
