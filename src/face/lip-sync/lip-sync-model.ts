// The network of lip sync, as it comes with the service (Node only; a browser fetches it by URL).
import { readModelFile } from "../../signal/inference/read-model-file.ts";

/** Returns its bytes. `bits`: 16, the ONNX file, or 8, the weights for browsers. Throws EngineError(unavailable) if the
 *  file is missing or is not the one in the manifest. */
export function loadLipSyncModel(bits: 8 | 16 = 16): Promise<Uint8Array> {
  return readModelFile(bits === 8 ? "lip-sync/lip-sync.8bit.bin" : "lip-sync/lip-sync.onnx", "The lip-sync model");
}
