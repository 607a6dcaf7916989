// The network of lip sync, as it comes with the service (Node only; a browser fetches it by URL).
import { readModelFile } from "../../signal/inference/read-model-file.ts";

/** Returns its bytes. Throws EngineError(unavailable) if the file is missing or is not the one in the manifest. */
export function loadLipSyncModel(): Promise<Uint8Array> {
  return readModelFile("lip-sync/lip-sync.onnx", "The lip-sync model");
}
