// The face networks that come with the service. Node only.
import { readModelFile } from "../../signal/inference/read-model-file.ts";
import type { FaceModels } from "./face-finder.ts";

const NAMES = ["face_detection_short_range", "face_landmark", "iris_landmark", "selfie_segmentation"];

/** Reads the four networks from the `models` folder. Throws EngineError(unavailable) if one is missing or its
 *  hash is not the manifest's. */
export async function loadFaceModels(): Promise<FaceModels> {
  const read = (name: string) => readModelFile(`face/${name}.onnx`, "The face model");
  const [detector, mesh, iris, segmenter] = await Promise.all(NAMES.map(read));
  return { detector, mesh, iris, segmenter };
}
