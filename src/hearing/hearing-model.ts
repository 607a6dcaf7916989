// Reads and verifies the network file that ships with the project (Node only; a browser fetches it by URL).
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { EngineError } from "../engine-error.ts";

const MODELS = new URL("../../models/", import.meta.url);
const HEARING_MODEL = "hearing/hearing.onnx";

/** Returns the bytes of the hearing network. Throws EngineError(unavailable) if the file is missing or is not
 *  the one in the manifest. */
export async function loadHearingModel(): Promise<Uint8Array> {
  let bytes: Uint8Array;
  let expected: string;
  try {
    const manifest = JSON.parse(await readFile(new URL("manifest.json", MODELS), "utf8"));
    expected = manifest[HEARING_MODEL].sha256;
    bytes = await readFile(new URL(HEARING_MODEL, MODELS));
  } catch (cause) {
    throw new EngineError("unavailable", "The lip-sync model of this installation cannot be read.", { cause });
  }
  if (createHash("sha256").update(bytes).digest("hex") !== expected) {
    throw new EngineError("unavailable", "The lip-sync model is damaged: its checksum differs from the manifest.");
  }
  return bytes;
}
