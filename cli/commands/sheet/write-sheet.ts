// Implements `avatar sheet`.
import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { compareSheets, type PoseChange } from "../../../src/face/rendering/compare-sheets.ts";
import { layOutSheet, renderContactSheet, type SheetLayout } from "../../../src/face/rendering/contact-sheet.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { SHEET_POSES } from "../../../src/face/rendering/sheet-poses.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { encodePng } from "../../../src/signal/image/encode-image.ts";
import type { PixelBox, RgbImage } from "../../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { readInput } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import type { ImageRequest } from "../bundle/image-options.ts";
import { openBundle } from "../bundle/open-bundle.ts";
import { parseExpressiveness } from "../bundle/parse-expressiveness.ts";
import { resolveImage } from "../bundle/resolve-image.ts";
import { assertWritable } from "../output-file.ts";
import { openProgress } from "../progress-bar.ts";
import { SHEET_FILM_TICKS, writeSheetFilm } from "./sheet-film.ts";

export interface SheetRequest extends ImageRequest {
  output?: string;
  family: string;
  closeUp?: boolean;
  film: boolean;
  expressiveness: string;
  compare?: string;
  json?: boolean;
}

/** Writes the sheet, and the film unless told otherwise, and reports. Throws CliError or EngineError. */
export async function writeSheet(path: string, request: SheetRequest, environment: Environment): Promise<void> {
  const output = request.output ?? `${basename(path, extname(path))}-sheet.png`;
  const film = request.film ? `${output.slice(0, output.length - extname(output).length)}.mp4` : null;
  const expressiveness = parseExpressiveness(request.expressiveness);
  const bytes = await readInput(path);
  const image = await resolveImage(request);
  const before = request.compare ? await decodeImage(await readInput(request.compare)) : null;
  await assertWritable(output);
  let isWritten = false;
  await interruptible(
    async (signal) => {
      const runtime = createNodeRuntime();
      const imx = await openBundle(bytes, { ...image, family: request.family, runtime, onNote: writeNote });
      const avatar = await openAvatar(imx, runtime);
      const total = Object.keys(SHEET_POSES).length + (film ? SHEET_FILM_TICKS : 0);
      const progress = openProgress("rendering", total, request.json === true);
      try {
        let done = 0;
        const onPose = () => {
          signal.throwIfAborted();
          progress.update(++done);
        };
        const options = { ...(request.closeUp ? { crop: middleOf(imx), cellWidthPx: 320 } : {}), onPose };
        const sheet = await renderContactSheet(avatar, options);
        await writeFile(output, await encodePng(sheet));
        isWritten = true;
        if (film) {
          const onFrame = (frames: number) => progress.update(done + frames);
          const ffmpegPath = environment.FFMPEG_PATH;
          await writeSheetFilm({ avatar, runtime, output: film, ffmpegPath, expressiveness, signal, onFrame });
        }
        progress.stop();
        const changes = before ? compare(before, sheet, layOutSheet(avatar, options)) : null;
        if (request.json) writeJson({ output, film, poses: Object.keys(SHEET_POSES), changes });
        else process.stdout.write(describe(output, film, changes));
        if (changes && changes.length > 0) process.exitCode = 1;
      } finally {
        progress.stop();
        await avatar.close();
      }
    },
    () => (isWritten ? `${output} is written, and no film.` : "No files were left behind."),
  );
}

/** The middle of the face region. */
function middleOf({ manifest }: Imx): PixelBox {
  const { x, y, sizePx } = manifest.region;
  return {
    x: x + Math.round(0.25 * sizePx),
    y: y + Math.round(0.3 * sizePx),
    widthPx: Math.round(0.5 * sizePx),
    heightPx: Math.round(0.65 * sizePx),
  };
}

function compare(before: RgbImage, sheet: RgbImage, layout: SheetLayout): PoseChange[] {
  try {
    return compareSheets(before, sheet, layout);
  } catch (cause) {
    throw new CliError("usage", `The sheets cannot be compared: ${(cause as Error).message}.`, { cause });
  }
}

function describe(output: string, film: string | null, changes: PoseChange[] | null): string {
  const lines = [output, ...(film ? [film] : [])];
  if (changes?.length === 0) lines.push("no pose differs");
  for (const { pose, changedShare, largest } of changes ?? []) {
    lines.push(`${pose}: ${(100 * changedShare).toFixed(1)} % of its pixels changed, by ${largest} at most`);
  }
  return `${lines.join("\n")}\n`;
}
