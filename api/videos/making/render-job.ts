// The durable job that makes a video, with its retries and errors.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { assertFreeSpace } from "../../../program/files/free-space.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { type Expression, parseExpression } from "../../../shared/expressions.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { type Agent, artifactFor, speechOf } from "../../agents/record/agent.ts";
import { findAgentById } from "../../agents/record/agent-store.ts";
import { mayRetry, reasonOf } from "../../kernel/jobs/job-failure.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { CATEGORY_LIMITS_BYTES } from "../../kernel/storage/file-kind.ts";
import { completeVideo, discardFilm, failVideo } from "../settle-video.ts";
import { filmKey, MAX_VIDEO_SECONDS, type RecordingInput, subtitlesKey, type Video } from "../video.ts";
import type { VideoServices } from "../video-services.ts";
import { findVideo, noteFilm, noteProgress } from "../video-store.ts";
import { type CanvasBundle, canvasBakeTask, findCanvasBundle, keepBundle } from "./canvas-bundle.ts";
import { needsFetch } from "./fetch-recording.ts";
import type { FilmTask } from "./film-messages.ts";
import { runFilm } from "./film-process.ts";
import { type FilmText, speakFilmText } from "./speak-film-text.ts";
import { enqueueRecording, RENDER_VIDEO, videoPayloadSchema } from "./video-queue.ts";

/** One film at a time in each process of the api: it takes a core. */
const CONCURRENT_JOBS = 1;
const PROGRESS_INTERVAL_MS = 1_000;
/** Of a recording from our own storage. */
const READ_TIMEOUT_MS = 60_000;
/** Most bytes of a film and of its recording together. */
const MAX_FILM_BYTES = 200_000_000;

/** The job kind. A film that an earlier attempt has stored is not made again. */
export function renderVideoJob(services: VideoServices): JobKind {
  return {
    name: RENDER_VIDEO,
    concurrency: CONCURRENT_JOBS,
    async run(payload, context) {
      const { videoId } = videoPayloadSchema.parse(payload);
      const video = await findVideo(services.database, videoId);
      if (video?.status !== "processing") return;
      // As an earlier version queued it.
      if (video.input && needsFetch(services.fileLinks, video.input)) return enqueueRecording(services.database, video);
      try {
        if (!(await isStored(services, video))) await makeVideo(services, video, context.signal);
        await completeVideo(services, videoId);
      } catch (error) {
        if (error instanceof VideoEndedError) return;
        if (mayRetry(error, context)) {
          services.logger.warn({ err: error, videoId, attempt: context.attempt }, "video will be tried again");
          throw error;
        }
        services.logger.warn({ err: error, videoId }, "video failed");
        await failVideo(services, videoId, reasonOf(error));
      }
    },
  };
}

/** The video was ended while it was made: it or its agent was deleted. */
class VideoEndedError extends Error {}

async function isStored({ storage }: VideoServices, { id, durationMs }: Video): Promise<boolean> {
  return durationMs !== null && (await storage.sizeOf(filmKey(id))) !== null;
}

/** Makes and stores the film. Throws VideoEndedError, the errors of the input, and the signal's reason. */
async function makeVideo(services: VideoServices, video: Video, signal: AbortSignal): Promise<void> {
  const { database, storage, logger, config } = services;
  const { id } = video;
  const ended = new AbortController();
  let progress = 0;
  const heartbeat = setInterval(() => {
    noteProgress(database, id, progress).then(
      (isProcessing) => !isProcessing && ended.abort(new VideoEndedError()),
      // The database is away: the film goes on, and its end is retried.
      (error: unknown) => logger.warn({ err: error, videoId: id }, "progress of a video not noted"),
    );
  }, PROGRESS_INTERVAL_MS);
  const folder = await mkdtemp(join(tmpdir(), "avatar-film-"));
  try {
    await assertFreeSpace(folder, config.disk.minFreeBytes, MAX_FILM_BYTES);
    const stopped = AbortSignal.any([signal, ended.signal]);
    const { task, bundle } = await prepareTask(services, video, folder, stopped);
    const film = await runFilm(task, {
      logger,
      niceness: services.policies.filmNiceness,
      signal: stopped,
      onProgress: (share) => {
        progress = share;
      },
    });
    const { frames, hasSubtitles, widthPx, heightPx } = film;
    if ("bake" in task.source && bundle) await keepBundle(services, id, bundle.key, task.source.bundlePath);
    if (hasSubtitles) await storage.putFile(subtitlesKey(id), task.subtitlesPath);
    const enlargement = film.enlargement ?? bundle?.enlargement ?? null;
    const made = { durationMs: frames * HOP_MS, hasSubtitles, widthPx, heightPx, enlargement };
    if (!(await noteFilm(database, id, made))) {
      await discardFilm(services, id);
      throw new VideoEndedError();
    }
    await storage.putFile(filmKey(id), task.filmPath);
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepareTask(
  services: VideoServices,
  { agentId, agentCode, family, input, canvas }: Video,
  folder: string,
  signal: AbortSignal,
): Promise<{ task: FilmTask; bundle: CanvasBundle | null }> {
  const { database, storage, voice, config } = services;
  const agent = await findAgentById(database, agentId);
  if (!agent || agent.deletedAt) throw new VideoEndedError();
  const artifact = artifactFor(agent, family);
  if (!artifact) throw new ServiceError("MODEL_NOT_GENERATED", `Agent ${agentCode} has no file of ${family}.`);
  if (!input) throw new VideoEndedError();
  const bundle = canvas && (await findCanvasBundle(services, agent, family, canvas));
  const readSource = async (): Promise<FilmTask["source"]> => {
    if (!canvas || !bundle) return { imx: await storage.readAll(artifact.key) };
    if (bundle.isStored) return { imx: await storage.readAll(bundle.key) };
    const bake = await canvasBakeTask(services, agent, family, canvas);
    return { bake, bundlePath: join(folder, "canvas.imx") };
  };
  const readRecording = async ({ url, key }: { url: string; key?: string }): Promise<string> => {
    const path = join(folder, "audio");
    if (key !== undefined) await pipeline(await storage.read(key), createWriteStream(path));
    // A file of this installation.
    else await services.outgoing.save(url, path, { maxBytes: CATEGORY_LIMITS_BYTES.audio, timeoutMs: READ_TIMEOUT_MS });
    return path;
  };
  const task: FilmTask = {
    source: await readSource(),
    family,
    speech:
      input.type === "text"
        ? await speakFilmText(voice, textOf(input, agent), signal)
        : { path: await readRecording(input), expression: expressionIn(input) },
    maxSeconds: MAX_VIDEO_SECONDS,
    filmPath: join(folder, "film.mp4"),
    subtitlesPath: join(folder, "film.vtt"),
    ffmpegPath: config.rendering.ffmpegPath,
    qualityNetworkPath: config.rendering.qualityNetworkPath,
  };
  return { task, bundle };
}

function expressionIn({ emotion }: RecordingInput): Expression | undefined {
  return emotion === undefined ? undefined : parseExpression(emotion);
}

function textOf({ text, voiceId }: { text: string; voiceId: string | null }, agent: Agent): FilmText {
  const own = speechOf(agent);
  return { text, voiceId: voiceId ?? own.voiceId, language: own.language };
}
