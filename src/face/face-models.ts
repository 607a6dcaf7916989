// The face networks that come with the service, checked against the manifest. Node only.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { EngineError } from "../engine-error.ts";
import type { FaceModels } from "./face-finder.ts";

const MODELS = new URL("../../models/", import.meta.url);

/** Reads the four networks from the `models` folder. Throws EngineError(unavailable) if one is missing or its
 *  hash is not the manifest's. */
export async function loadFaceModels(): Promise<FaceModels> {
  const manifest = JSON.parse(await readFile(new URL("manifest.json", MODELS), "utf8")) as Record<
    string,
    { sha256?: string }
  >;
  const [detector, mesh, iris, segmenter] = await Promise.all(
    ["face_detection_short_range", "face_landmark", "iris_landmark", "selfie_segmentation"].map((name) =>
      readChecked(`face/${name}.onnx`, manifest),
    ),
  );
  return { detector, mesh, iris, segmenter };
}

async function readChecked(path: string, manifest: Record<string, { sha256?: string }>): Promise<Uint8Array> {
  const advice = "Restore the models folder of this release.";
  const bytes = await readFile(new URL(path, MODELS)).catch((cause: unknown) => {
    throw new EngineError("unavailable", `models/${path} cannot be read. ${advice}`, { cause });
  });
  if (createHash("sha256").update(bytes).digest("hex") !== manifest[path]?.sha256) {
    throw new EngineError(
      "unavailable",
      `models/${path} is damaged: its checksum differs from the manifest. ${advice}`,
    );
  }
  return bytes;
}
