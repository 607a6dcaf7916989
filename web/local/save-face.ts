// One HTML file with a face, its lip sync and what it said last.
import template from "virtual:saved-face";
import { fetchBytes } from "../../sdk/engine/tab/face/fetch-bytes.ts";
import { fetchLipSyncWeights } from "../../sdk/engine/tab/face/lip-sync-weights.ts";
import { encodeSpeech } from "../../sdk/engine/tab/film/encode-speech.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { createWebRuntime } from "../../src/signal/inference/web-runtime.ts";
import { PARTS_PLACEHOLDER, writeParts } from "../saved/saved-parts.ts";
import type { Recording } from "./local-face.ts";

/** Most that a file may have: it is sent by mail. */
const SAVED_LIMIT_BYTES = 6_000_000;

export interface FaceToSave {
  name: string;
  /** Bytes of the `.imx`. */
  bundle: Uint8Array;
  /** Absent if it has said nothing. */
  recording?: Recording;
}

/** The file. Throws RangeError if it would be too large or the face needs ONNX Runtime, with words for the visitor. */
export async function saveFace({ name, bundle, recording }: FaceToSave): Promise<Blob> {
  const [page, weights] = await Promise.all([fetchBytes(template), fetchLipSyncWeights(), assertSelfContained(bundle)]);
  const speech = recording && (await encodeSpeech(recording.samples));
  const parts = writeParts(
    { name, ...(recording && { recording: recording.label }) },
    { bundle, weights, ...(speech && { recording: speech }) },
  );
  const html = new TextDecoder().decode(page).replace(PARTS_PLACEHOLDER, () => parts);
  const file = new Blob([html], { type: "text/html" });
  if (file.size <= SAVED_LIMIT_BYTES) return file;
  const [needed, limit] = [file.size, SAVED_LIMIT_BYTES].map((bytes) => (bytes / 1e6).toFixed(1));
  const shorter = speech ? "Let the face say something shorter, then save again." : "This face is too large for it.";
  throw new RangeError(`The file would have ${needed} MB, and holds at most ${limit}. ${shorter}`);
}

/** Saved files have our own executor alone. */
async function assertSelfContained(bundle: Uint8Array): Promise<void> {
  const avatar = await openAvatar(await readImx(bundle), await createWebRuntime({ provider: "wasm" }));
  await avatar.close();
  if (avatar.renderedBy !== "executor") {
    throw new RangeError("This face was made by another version and cannot be saved as one file. Make it again here.");
  }
}
