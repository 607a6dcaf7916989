// What `avatar render` does.
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { FRAME_RATE_FPS, HOP_MS } from "../../shared/units.ts";
import type { Sound } from "../../src/audio/wav.ts";
import type { Avatar } from "../../src/drawing/avatar.ts";
import { openAvatar } from "../../src/drawing/open-avatar.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, EngineTick } from "../../src/engine/engine.ts";
import { loadHearingModel } from "../../src/hearing/hearing-model.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { decodeAudio } from "../../src/media/decode-audio.ts";
import { Mp4Writer } from "../../src/media/mp4-writer.ts";
import { CliError } from "../cli-error.ts";
import { interruptible } from "../interrupt.ts";
import { readInput } from "../read-input.ts";
import { writeJson } from "../write-json.ts";
import { openBundle } from "./open-bundle.ts";
import { assertWritable } from "./output-file.ts";
import { openProgress } from "./progress-bar.ts";
import type { RenderRequest } from "./render.ts";

/** Sound handed to the engine at a time; it holds ten minutes at most, and films may be longer. */
const PUSHED_SECONDS = 1;

/** Writes the film and reports on it. Throws CliError or ServiceError with a sentence for people. */
export async function renderFilm(avatarPath: string, audioPath: string, request: RenderRequest): Promise<void> {
  const startedMs = performance.now();
  const output = request.output ?? `${basename(audioPath, extname(audioPath))}.mp4`;
  const { limit, expressiveness, seed } = parseNumbers(request);
  await readable(audioPath);
  const avatarBytes = await readInput(avatarPath);
  await assertWritable(output);
  await interruptible(async (signal) => {
    const sound = cutTo(await decodeAudio(audioPath, { ffmpegPath: process.env.FFMPEG_PATH }), limit);
    if (sound.samples.length === 0) throw new CliError("no_input", `${audioPath} has no sound.`);
    const runtime = createNodeRuntime();
    const avatar = await openAvatar(await openBundle(avatarBytes, { family: request.family, runtime }), runtime);
    const hearingModel = await loadHearingModel();
    const engine = await createEngine({ avatar, runtime, hearingModel, expressiveness, seed });
    try {
      const filmStartedMs = performance.now();
      const frames = await film({ engine, avatar, sound, output, signal, isQuiet: request.json === true });
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
        process.stdout.write(`${output}: ${seconds.toFixed(1)} s, ${frames} pictures, ${speed} times real time\n`);
      }
    } finally {
      await engine.close();
      await avatar.close();
    }
  });
}

interface FilmJob {
  engine: Engine;
  avatar: Avatar;
  sound: Sound;
  output: string;
  signal: AbortSignal;
  isQuiet: boolean;
}

/** Drives the engine through the whole sound; returns the number of pictures. */
async function film({ engine, avatar, sound, output, signal, isQuiet }: FilmJob): Promise<number> {
  const writer = Mp4Writer.open(output, {
    widthPx: avatar.widthPx,
    heightPx: avatar.heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz: engine.sampleRateHz,
    ffmpegPath: process.env.FFMPEG_PATH,
  });
  const expectedFrames = Math.ceil((sound.samples.length * 1000) / sound.sampleRateHz / HOP_MS);
  const progress = openProgress("filming", expectedFrames, isQuiet);
  try {
    let frames = 0;
    for await (const tick of speak(engine, sound)) {
      signal.throwIfAborted();
      await writer.writeFrame(tick.videoFrame);
      await writer.writeAudio(tick.audio);
      progress.update(++frames);
    }
    await writer.finish();
    return frames;
  } finally {
    await writer.abort();
    progress.stop();
  }
}

/** The ticks of one utterance, from its first sound to its last. */
async function* speak(engine: Engine, sound: Sound): AsyncGenerator<EngineTick> {
  const segment = engine.openSegment("film", sound.sampleRateHz);
  const pieceSamples = sound.sampleRateHz * PUSHED_SECONDS;
  let pushed = 0;
  for (let ticks = 0; ; ticks++) {
    // A second ahead of the pictures, so that hearing always has its look-ahead.
    while (pushed < sound.samples.length && pushed / sound.sampleRateHz < (ticks * HOP_MS) / 1000 + PUSHED_SECONDS) {
      segment.push(sound.samples.subarray(pushed, pushed + pieceSamples));
      pushed += pieceSamples;
    }
    if (pushed >= sound.samples.length) segment.end();
    const tick = await engine.tick();
    if (tick.isSpeaking) yield tick;
    if (tick.events.some((event) => event.type === "segment-finished")) return;
  }
}

function parseNumbers(request: RenderRequest): { limit: number; expressiveness: number; seed: number } {
  const limit = request.limit === undefined ? Number.POSITIVE_INFINITY : Number(request.limit);
  const expressiveness = Number(request.expressiveness);
  const seed = Number(request.seed);
  if (!(limit > 0)) throw new CliError("usage", "--limit takes a number of seconds above zero.");
  if (!(expressiveness >= 0.5 && expressiveness <= 1.5)) {
    throw new CliError("usage", "--expressiveness runs from 0.5 to 1.5.");
  }
  if (!Number.isSafeInteger(seed)) throw new CliError("usage", "--seed takes a whole number.");
  return { limit, expressiveness, seed };
}

function cutTo(sound: Sound, seconds: number): Sound {
  return { ...sound, samples: sound.samples.subarray(0, Math.min(sound.samples.length, seconds * sound.sampleRateHz)) };
}

/** Says early, and in the command's own words, that a file is missing. */
async function readable(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CliError("no_input", `${path} cannot be read: there is no such file.`);
  if (found.isDirectory()) throw new CliError("no_input", `${path} cannot be read: it is a folder.`);
}
