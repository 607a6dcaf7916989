// Bakes the image that `avatar run` was given.
import type { Imx } from "../../../src/face/imx/imx.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { bakeImage } from "../bundle/bake-image.ts";
import { openProgress } from "../progress-bar.ts";

/** For people and drawings alike. */
const FAMILY = "essence-2";

/** Throws EngineError for an unsuitable image, and the signal's reason. */
export async function bakeShownImage(
  bytes: Uint8Array,
  { signal, isQuiet }: { signal: AbortSignal; isQuiet: boolean },
): Promise<{ imx: Imx; bundle: Uint8Array }> {
  const progress = openProgress("baking", 100, isQuiet);
  const notes: string[] = [];
  try {
    const imx = await bakeImage(bytes, {
      family: FAMILY,
      runtime: createNodeRuntime(),
      onNote: (line) => notes.push(line),
      onProgress: (share) => {
        signal.throwIfAborted();
        progress.update(Math.round(share * 100));
      },
    });
    return { imx, bundle: await writeImx(imx) };
  } finally {
    progress.stop();
    if (!isQuiet) notes.forEach(writeNote);
  }
}
