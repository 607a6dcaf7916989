// How fast films are made: frames per second from audio to the finished MP4, beside the same encoder fed with frames
// that are ready, in the same run.
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bakeFirst } from "../../cli/commands/doctor/bake-first.ts";
import { FRAME_RATE_FPS } from "../../shared/units.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";
import type { FilmSpeech } from "../../src/face/film/film-speech.ts";
import { expectedFrames, filmTicks } from "../../src/face/film/film-ticks.ts";
import { writeFilm } from "../../src/face/film/write-film.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { Mp4Writer } from "../../src/signal/media/mp4-writer.ts";
import { percentile } from "./percentile.ts";
import { round } from "./round.ts";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "./speech.ts";

const FILM_S = 30;
/** Frames that are kept for the encoder alone, 120 MB. It is fed with them in turn. */
const KEPT_FRAMES = 300;
/** Both take turns, so that other load on the machine affects both alike. */
const ROUNDS = 5;
const GOAL_FPS = 150;
/** Of the encoder alone. */
const GOAL_SHARE = 0.5;

/** Frames per second, medians of the rounds: the whole film, and its encoder alone. Times include the encoder's start
 *  and the end of the file. */
export async function benchVideo() {
  const runtime = createNodeRuntime();
  const lipSyncModel = await loadLipSyncModel();
  const avatar = await openAvatar(await bakeFirst(runtime, "essence-2", CANVAS_SIZES["1:1"]), runtime);
  const speech = await speechOf(FILM_S);
  const frames = expectedFrames(speech.audio);
  const path = join(tmpdir(), `bench-video-${process.pid}.mp4`);
  const open = () => createEngine({ avatar, runtime, lipSyncModel });
  try {
    const ready = await collectFrames(await open(), speech);
    const filmMs: number[] = [];
    const encoderMs: number[] = [];
    for (let each = 0; each < ROUNDS; each++) {
      const engine = await open();
      filmMs.push(await timed(() => writeFilm({ engine, avatar, speech, path })));
      await engine.close();
      encoderMs.push(await timed(() => encode(path, ready, frames)));
    }
    const fps = (ms: number) => Math.round((frames * 1000) / ms);
    const film = fps(percentile(filmMs, 0.5));
    const encoder = fps(percentile(encoderMs, 0.5));
    const shares = filmMs.map((ms, index) => encoderMs[index] / ms);
    return {
      canvas: `${avatar.widthPx} x ${avatar.heightPx}`,
      frames,
      film_fps: film,
      goal_fps: GOAL_FPS,
      encoder_alone_fps: encoder,
      share_of_encoder: round(percentile(shares, 0.5)),
      goal_share: GOAL_SHARE,
      best_film_fps: fps(Math.min(...filmMs)),
    };
  } finally {
    await avatar.close();
    await rm(path, { force: true });
  }
}

interface ReadyFrames {
  frames: I420Frame[];
  audio: Int16Array[];
  sampleRateHz: number;
}

async function collectFrames(
  engine: Awaited<ReturnType<typeof createEngine>>,
  speech: FilmSpeech,
): Promise<ReadyFrames> {
  const ready: ReadyFrames = { frames: [], audio: [], sampleRateHz: engine.sampleRateHz };
  for await (const { videoFrame, audio } of filmTicks(engine, speech)) {
    ready.frames.push({ ...videoFrame, data: videoFrame.data.slice() });
    ready.audio.push(audio.slice());
    if (ready.frames.length === KEPT_FRAMES) break;
  }
  await engine.close();
  return ready;
}

async function encode(path: string, { frames, audio, sampleRateHz }: ReadyFrames, count: number): Promise<void> {
  const { widthPx, heightPx } = frames[0];
  const writer = Mp4Writer.open(path, { widthPx, heightPx, frameRateFps: FRAME_RATE_FPS, sampleRateHz });
  try {
    for (let index = 0; index < count; index++) {
      await writer.writeFrame(frames[index % frames.length]);
      await writer.writeAudio(audio[index % audio.length]);
    }
    await writer.finish();
  } finally {
    await writer.abort();
  }
}

async function speechOf(seconds: number): Promise<FilmSpeech> {
  const sentences = await speakFor(seconds);
  const samples = Int16Array.from(sentences.flatMap((sentence) => Array.from(sentence)));
  return {
    audio: { samples: samples.subarray(0, seconds * SENT_SAMPLE_RATE_HZ), sampleRateHz: SENT_SAMPLE_RATE_HZ },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
