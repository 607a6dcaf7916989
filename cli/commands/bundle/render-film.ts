// Implements `avatar render`. What only some films need is loaded with them: the first frame of a bundle is near.
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { z } from "zod";
import { findMediaProgram } from "../../../sdk/engine/node/find-media-program.ts";
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import type { FilmSpeech } from "../../../src/face/film/film-speech.ts";
import { expectedFrames, type FilmTick, filmTicks } from "../../../src/face/film/film-ticks.ts";
import { writeTicks } from "../../../src/face/film/write-ticks.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import type { SpeechOptions } from "../../../src/speech/voice/voice.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { isImx } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { readAvatar } from "../models/read-avatar.ts";
import { assertWritable } from "../output-file.ts";
import { parseCount } from "../parse-count.ts";
import { parseEmotion } from "../parse-emotion.ts";
import { openProgress } from "../progress-bar.ts";
import type { ImageRequest } from "./image-options.ts";
import { openBundle } from "./open-bundle.ts";
import { parseExpressiveness } from "./parse-expressiveness.ts";
import type { renderShape } from "./render-shape.ts";
import type { ResolvedImage } from "./resolve-image.ts";

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
  /** NAME[:0..1]. */
  emotion: string;
  seed: string;
  json?: boolean;
}

/** An hour of frames. */
const MAX_FRAMES = 3600 * FRAME_RATE_FPS;

/** Writes the film and reports on it. Throws CliError or EngineError. */
export async function renderFilm(
  avatarName: string,
  audioPath: string | undefined,
  request: RenderRequest,
  environment: Environment,
): Promise<void> {
  const startedMs = performance.now();
  const source = speechSource(audioPath, request);
  const output =
    request.output ?? ("path" in source ? `${basename(source.path, extname(source.path))}.mp4` : "speech.mp4");
  const { limit, expressiveness, seed } = parseNumbers(request);
  const mood = parseEmotion(request.emotion);
  if ("path" in source) await readable(source.path);
  await assertWritable(output);
  const { ffmpegPath } = findMediaProgram("A film", environment.FFMPEG_PATH);
  await interruptible(async (signal) => {
    const { bytes } = await readAvatar(avatarName, { environment, signal, isQuiet: request.json === true });
    const runtime = createNodeRuntime();
    const image = isImx(bytes) ? {} : await imageOf(request);
    const options = { ...image, family: request.family, runtime, onNote: writeNote };
    const [speech, imx, lipSyncModel] = await Promise.all([
      readSpeech(source, { limit, environment, ffmpegPath, signal }),
      openBundle(bytes, options),
      loadLipSyncModel(),
    ]);
    signal.throwIfAborted();
    const { canvas } = imx.manifest;
    let filmStartedMs = 0;
    /** Opens the avatar while the encoder starts. */
    async function* ticks(): AsyncGenerator<FilmTick> {
      const avatar = await avatarOf(imx, runtime, environment);
      try {
        const engine = await createEngine({ avatar, runtime, lipSyncModel, expressiveness, mood, seed });
        try {
          filmStartedMs = performance.now();
          yield* filmTicks(engine, speech);
        } finally {
          await engine.close();
        }
      } finally {
        await avatar.close();
      }
    }
    const progress = openProgress("filming", expectedFrames(speech.audio), request.json === true);
    try {
      const onFrame = (count: number) => progress.update(count);
      const target = { avatar: canvas, path: output, ffmpegPath, signal, onFrame };
      const frames = await writeTicks(ticks(), PLAYOUT_SAMPLE_RATE_HZ, target);
      const endedMs = performance.now();
      progress.stop();
      const renderSeconds = (endedMs - filmStartedMs) / 1000;
      await report(
        {
          output,
          bytes: (await stat(output)).size,
          seconds: frames / FRAME_RATE_FPS,
          wall_seconds: (endedMs - startedMs) / 1000,
          width: canvas.widthPx,
          height: canvas.heightPx,
          frames,
          fps: FRAME_RATE_FPS,
          render_seconds: renderSeconds,
          render_fps: frames / renderSeconds,
        },
        request.json === true,
      );
    } finally {
      progress.stop();
    }
  });
}

type FilmReport = z.input<typeof renderShape>;

/** The path alone on standard output, so that it can be piped; a person reads more beside it. */
async function report(film: FilmReport, isJson: boolean): Promise<void> {
  if (isJson) return writeJson(film);
  process.stdout.write(`${film.output}\n`);
  if (!process.stderr.isTTY) return;
  const speed = (film.render_fps / FRAME_RATE_FPS).toFixed(1);
  writeNote(`${film.seconds.toFixed(1)} s, ${film.frames} frames, ${speed} × real time`);
}

type SpeechSource = { path: string } | { text: string; options: SpeechOptions };

function parseNumbers(request: RenderRequest): { limit: number | undefined; expressiveness: number; seed: number } {
  const limit = request.limit === undefined ? undefined : parseCount(request.limit, "--limit", MAX_FRAMES);
  const expressiveness = parseExpressiveness(request.expressiveness);
  const seed = Number(request.seed);
  if (!Number.isSafeInteger(seed)) throw new CliError("usage", "--seed must be an integer.");
  return { limit, expressiveness, seed };
}

async function imageOf(request: RenderRequest): Promise<ResolvedImage> {
  const { resolveImage } = await import("./resolve-image.ts");
  return resolveImage(request);
}

async function avatarOf(imx: Imx, runtime: InferenceRuntime, environment: Environment): Promise<Avatar> {
  const { family } = imx.manifest;
  if (family !== "essence-2-quality") return openAvatar(imx, runtime);
  const { openFamilyAvatar } = await import("../../../src/face/quality/open-family-avatar.ts");
  return openFamilyAvatar(imx, family, { runtime, qualityNetworkPath: environment.AVATAR_QUALITY_NETWORK });
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

interface ReadingOptions {
  limit: number | undefined;
  environment: Environment;
  ffmpegPath: string | undefined;
  signal: AbortSignal;
}

/** The first `limit` frames of it. Throws CliError `no_input` if there is no audio. */
async function readSpeech(source: SpeechSource, options: ReadingOptions): Promise<FilmSpeech> {
  const { limit } = options;
  const speech = await readWhole(source, options);
  const { samples, sampleRateHz } = speech.audio;
  if (samples.length === 0) {
    throw new CliError("no_input", "path" in source ? `${source.path} has no audio.` : "--text is empty.");
  }
  if (limit === undefined) return speech;
  const kept = samples.subarray(0, Math.floor((limit * sampleRateHz) / FRAME_RATE_FPS));
  return { ...speech, audio: { samples: kept, sampleRateHz } };
}

async function readWhole(
  source: SpeechSource,
  { limit, environment, ffmpegPath, signal }: ReadingOptions,
): Promise<FilmSpeech> {
  if ("text" in source) {
    const { speakText } = await import("../voices/speak-text.ts");
    return speakText(environment, source.text, source.options, signal);
  }
  // A little more than is kept, so that rounding loses no frame.
  const onlySeconds = limit === undefined ? undefined : Math.ceil(limit / FRAME_RATE_FPS);
  return { audio: await decodeAudio(source.path, { ffmpegPath, onlySeconds }) };
}

/** Throws CliError `no_input` early, before any work, if the file is missing. */
async function readable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CliError("no_input", `${path} cannot be read: there is no such file.`);
  if (found.isDirectory()) throw new CliError("no_input", `${path} cannot be read: it is a folder.`);
}
