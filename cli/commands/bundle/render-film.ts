// Implements `avatar render`.
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import type { FilmSpeech } from "../../../src/face/film/film-speech.ts";
import { expectedFrames } from "../../../src/face/film/film-ticks.ts";
import { type FilmOrder, writeFilm } from "../../../src/face/film/write-film.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { openFamilyAvatar } from "../../../src/face/quality/open-family-avatar.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import type { SpeechOptions } from "../../../src/speech/voice/voice.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { readInput } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { assertWritable } from "../output-file.ts";
import { openProgress } from "../progress-bar.ts";
import { speakText } from "../voices/speak-text.ts";
import { type ImageRequest, resolveImage } from "./image-options.ts";
import { openBundle } from "./open-bundle.ts";
import { parseExpressiveness } from "./parse-expressiveness.ts";

export interface RenderRequest extends ImageRequest {
  output?: string;
  /** Spoken by a built-in voice instead of an audio file; the three below configure it. */
  text?: string;
  voice?: string;
  language?: string;
  speed?: string;
  family: string;
  limit?: string;
  expressiveness: string;
  seed: string;
  json?: boolean;
}

/** Writes the film and reports on it. Throws CliError or EngineError. */
export async function renderFilm(
  avatarPath: string,
  audioPath: string | undefined,
  request: RenderRequest,
  environment: Environment,
): Promise<void> {
  const startedMs = performance.now();
  const ffmpegPath = environment.FFMPEG_PATH;
  const source = speechSource(audioPath, request);
  const output =
    request.output ?? ("path" in source ? `${basename(source.path, extname(source.path))}.mp4` : "speech.mp4");
  const { limit, expressiveness, seed } = parseNumbers(request);
  if ("path" in source) await readable(source.path);
  const avatarBytes = await readInput(avatarPath);
  const image = await resolveImage(request);
  await assertWritable(output);
  await interruptible(async (signal) => {
    const speech = cutTo(await readSpeech(source, environment), limit);
    if (speech.audio.samples.length === 0) {
      throw new CliError("no_input", "path" in source ? `${source.path} has no audio.` : "--text is empty.");
    }
    const runtime = createNodeRuntime();
    const imx = await openBundle(avatarBytes, { ...image, family: request.family, runtime, onNote: writeNote });
    const avatar = await openFamilyAvatar(imx, imx.manifest.family, {
      runtime,
      qualityNetworkPath: environment.AVATAR_QUALITY_NETWORK,
    });
    const lipSyncModel = await loadLipSyncModel();
    const engine = await createEngine({ avatar, runtime, lipSyncModel, expressiveness, seed });
    try {
      const filmStartedMs = performance.now();
      const frames = await film({
        engine,
        avatar,
        speech,
        path: output,
        ffmpegPath,
        signal,
        isQuiet: request.json === true,
      });
      const renderSeconds = (performance.now() - filmStartedMs) / 1000;
      const { size } = await stat(output);
      const seconds = frames / FRAME_RATE_FPS;
      if (request.json) {
        writeJson({
          output,
          bytes: size,
          seconds,
          wall_seconds: (performance.now() - startedMs) / 1000,
          width: avatar.widthPx,
          height: avatar.heightPx,
          frames,
          fps: FRAME_RATE_FPS,
          render_seconds: renderSeconds,
          render_fps: frames / renderSeconds,
        });
      } else {
        const speed = (frames / renderSeconds / FRAME_RATE_FPS).toFixed(1);
        process.stdout.write(`${output}: ${seconds.toFixed(1)} s, ${frames} frames, ${speed} × real time\n`);
      }
    } finally {
      await engine.close();
      await avatar.close();
    }
  });
}

type SpeechSource = { path: string } | { text: string; options: SpeechOptions };

interface FilmJob extends FilmOrder {
  isQuiet: boolean;
}

/** Renders the whole audio; returns the number of frames. */
async function film({ isQuiet, ...order }: FilmJob): Promise<number> {
  const progress = openProgress("filming", expectedFrames(order.speech.audio), isQuiet);
  try {
    return await writeFilm({ ...order, onFrame: (count) => progress.update(count) });
  } finally {
    progress.stop();
  }
}

function parseNumbers(request: RenderRequest): { limit: number; expressiveness: number; seed: number } {
  const limit = request.limit === undefined ? Number.POSITIVE_INFINITY : Number(request.limit);
  const expressiveness = parseExpressiveness(request.expressiveness);
  const seed = Number(request.seed);
  if (!(limit > 0)) throw new CliError("usage", "--limit must be a number of seconds above zero.");
  if (!Number.isSafeInteger(seed)) throw new CliError("usage", "--seed must be an integer.");
  return { limit, expressiveness, seed };
}

function cutTo(speech: FilmSpeech, seconds: number): FilmSpeech {
  const { samples, sampleRateHz } = speech.audio;
  const kept = samples.subarray(0, Math.min(samples.length, seconds * sampleRateHz));
  return { ...speech, audio: { samples: kept, sampleRateHz } };
}

/** What the film says: an audio file, or text for a built-in voice. Throws CliError `usage` unless it is one of the
 *  two. */
function speechSource(path: string | undefined, request: RenderRequest): SpeechSource {
  const { text, voice, language, speed } = request;
  if (path !== undefined && text === undefined) {
    const unused = Object.entries({ voice, language, speed }).find(([, value]) => value !== undefined);
    if (unused) throw new CliError("usage", `--${unused[0]} can be used only with --text, not with an audio file.`);
    return { path };
  }
  if (text === undefined || path !== undefined) {
    throw new CliError("usage", "Give either an audio file or --text.", { hint: "avatar render --help shows both." });
  }
  return { text, options: { voiceId: voice, language, speed: speed === undefined ? undefined : Number(speed) } };
}

async function readSpeech(source: SpeechSource, environment: Environment): Promise<FilmSpeech> {
  if ("text" in source) return speakText(environment, source.text, source.options);
  return { audio: await decodeAudio(source.path, { ffmpegPath: environment.FFMPEG_PATH }) };
}

/** Throws CliError `no_input` early, before any work, if the file is missing. */
async function readable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CliError("no_input", `${path} cannot be read: there is no such file.`);
  if (found.isDirectory()) throw new CliError("no_input", `${path} cannot be read: it is a folder.`);
}
