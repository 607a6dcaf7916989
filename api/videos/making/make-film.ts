// Makes a film from an agent's `.imx` and speech or a recording. Runs in the film process only.
import { writeFile } from "node:fs/promises";
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import type { FilmSpeech } from "../../../src/face/film/film-speech.ts";
import { expectedFrames } from "../../../src/face/film/film-ticks.ts";
import { writeWebVtt } from "../../../src/face/film/web-vtt.ts";
import { writeFilm } from "../../../src/face/film/write-film.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { openFamilyAvatar } from "../../../src/face/quality/open-family-avatar.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { performBake } from "../../agents/portraits/bake-task.ts";
import type { FilmResult, FilmTask } from "./film-messages.ts";

const DECODE_TIMEOUT_MS = 120_000;
/** Frames between two reports of progress: a second of film. */
const REPORTED_FRAMES = 25;

/** Writes the film, and subtitles if its text is known. Throws EngineError: too-large for a longer recording,
 *  invalid-input for an empty one, unsupported-media for a file without audio, and the errors of the avatar and the
 *  media program. */
export async function makeFilm(task: FilmTask, onProgress: (share: number) => void): Promise<FilmResult> {
  const speech = await readSpeech(task);
  const total = expectedFrames(speech.audio);
  const runtime = createNodeRuntime();
  const { family, filmPath: path, ffmpegPath, qualityNetworkPath } = task;
  const { imx, enlargement } = await bundleOf(task, runtime);
  const avatar = await openFamilyAvatar(await readImx(imx), family, { runtime, qualityNetworkPath });
  try {
    const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
    try {
      const onFrame = (count: number) => {
        if (count % REPORTED_FRAMES === 0) onProgress(Math.min(1, count / total));
      };
      const frames = await writeFilm({ engine, avatar, speech, path, ffmpegPath, onFrame });
      if (speech.phrases) await writeFile(task.subtitlesPath, writeWebVtt(speech.phrases));
      const { widthPx, heightPx } = avatar;
      return { frames, hasSubtitles: speech.phrases !== undefined, widthPx, heightPx, enlargement };
    } finally {
      await engine.close();
    }
  } finally {
    await avatar.close();
  }
}

async function bundleOf({ source }: FilmTask, runtime: InferenceRuntime) {
  if ("imx" in source) return { imx: source.imx, enlargement: null };
  const { imx, scale } = await performBake(source.bake, runtime, () => undefined);
  await writeFile(source.bundlePath, imx);
  return { imx, enlargement: scale };
}

async function readSpeech(task: FilmTask): Promise<FilmSpeech> {
  if ("audio" in task.speech) return task.speech;
  const { path, expression } = task.speech;
  const audio = await readAudio(path, task);
  if (audio.samples.length === 0) throw new EngineError("invalid-input", "The audio is empty.");
  return { audio, expressions: expression && [{ expression, atMs: 0 }] };
}

async function readAudio(path: string, { maxSeconds, ffmpegPath }: FilmTask): Promise<FilmSpeech["audio"]> {
  try {
    return await decodeAudio(path, { maxSeconds, ffmpegPath, timeoutMs: DECODE_TIMEOUT_MS });
  } catch (error) {
    // Messages of invalid-input contain our temporary path.
    if (!isEngineError(error) || error.code !== "invalid-input") throw error;
    throw new EngineError(
      "unsupported-media",
      "The file at audio_url cannot be decoded. Use WAV, MP3 or another common audio format.",
      { cause: error },
    );
  }
}
