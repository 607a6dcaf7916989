// Implements `avatar hear`.
import { stat } from "node:fs/promises";
import { FACE_PARAMETERS } from "../../../shared/face-parameters.ts";
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { LipSyncNetwork } from "../../../src/face/lip-sync/lip-sync-network.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { CliError, reportCliError, toCliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { parseExpressiveness } from "../bundle/parse-expressiveness.ts";
import { mouthStrip } from "../sheet/mouth-strip.ts";
import { type MouthShapes, shapeMouth } from "./shape-mouth.ts";

export interface HearRequest {
  expressiveness: string;
  json?: boolean;
}

/** Runs lip sync on each file and prints the result. A file that cannot be read is reported and skipped; the exit code
 *  is then that of the first of them. Throws CliError `usage` for an expressiveness outside 0..1, SERVICE_UNAVAILABLE
 *  without a lip sync model. */
export async function hearFiles(
  files: readonly string[],
  request: HearRequest,
  environment: Environment,
): Promise<void> {
  const expressiveness = parseExpressiveness(request.expressiveness);
  const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
  try {
    for (const file of files) {
      try {
        const mouth = await shapeFile(network, file, { expressiveness, ffmpegPath: environment.FFMPEG_PATH });
        if (request.json) writeJson(toLine(file, mouth));
        else process.stdout.write(`${forPeople(file, mouth)}\n`);
      } catch (error) {
        const failure = toCliError(error);
        reportCliError(failure, "hear", { isJson: request.json === true });
        process.exitCode ??= failure.exitCode;
      }
    }
  } finally {
    await network.close();
  }
}

interface HearOptions {
  expressiveness: number;
  ffmpegPath: string | undefined;
}

async function shapeFile(network: LipSyncNetwork, file: string, options: HearOptions): Promise<MouthShapes> {
  const { expressiveness, ffmpegPath } = options;
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) throw new CliError("no_input", `${file} is a folder; name the audio files in it.`);
  const audio = await decodeAudio(file, { ffmpegPath });
  return shapeMouth(network, audio, { expressiveness });
}

function toLine(file: string, { visemes, closed, parameters }: MouthShapes): Record<string, unknown> {
  return { file, fps: FRAME_RATE_FPS, visemes, closed, names: FACE_PARAMETERS, parameters };
}

function forPeople(file: string, mouth: MouthShapes): string {
  const closedFrames = mouth.visemes.filter((viseme, k) => viseme !== "sil" && mouth.closed[k] > 0.5).length;
  const seconds = (mouth.visemes.length / FRAME_RATE_FPS).toFixed(1);
  const summary = `${file}: ${seconds} s, ${mouth.visemes.length} frames, lips closed for P, B or M in ${closedFrames}`;
  return `${summary}\n${mouthStrip(mouth)}`;
}
