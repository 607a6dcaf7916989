// Implements `avatar bake`.
import { basename, extname } from "node:path";
import { writeImxFile } from "../../../src/face/imx/imx-file.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { readInput } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { assertWritable } from "../output-file.ts";
import { openProgress } from "../progress-bar.ts";
import { bakeImage } from "./bake-image.ts";
import type { ImageRequest } from "./image-options.ts";
import { resolveImage } from "./resolve-image.ts";

export interface BakeRequest extends ImageRequest {
  output?: string;
  family: string;
  json?: boolean;
}

/** Writes the bundle and reports on it; the file appears whole or not at all. Throws CliError or EngineError. */
export async function bakeBundle(portraitPath: string, request: BakeRequest): Promise<void> {
  const { output = `${basename(portraitPath, extname(portraitPath))}.imx`, family, json } = request;
  const startedMs = performance.now();
  const portrait = await readInput(portraitPath);
  const image = await resolveImage(request);
  await assertWritable(output);
  await interruptible(async (signal) => {
    const progress = openProgress("baking", 100, json === true);
    const notes: string[] = [];
    try {
      const imx = await bakeImage(portrait, {
        ...image,
        family,
        runtime: createNodeRuntime(),
        onNote: (line) => notes.push(line),
        onProgress: (share) => {
          signal.throwIfAborted();
          progress.update(Math.round(share * 100));
        },
      });
      const { bytes } = await writeImxFile(output, imx, signal);
      progress.stop();
      notes.forEach(writeNote);
      const seconds = (performance.now() - startedMs) / 1000;
      const { canvas } = imx.manifest;
      if (json) {
        writeJson({
          output,
          bytes,
          family: imx.manifest.family,
          width: canvas.widthPx,
          height: canvas.heightPx,
          wall_seconds: seconds,
        });
      } else process.stdout.write(`${output}: ${(bytes / 1e6).toFixed(1)} MB, baked in ${seconds.toFixed(1)} s\n`);
    } finally {
      progress.stop();
    }
  });
}
