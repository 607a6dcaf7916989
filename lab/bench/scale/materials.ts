// What senders say and what the encode-only publishers show: made before anything is measured, and kept in files.
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bakeFirst } from "../../../cli/commands/doctor/bake-first.ts";
import { HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { makeSpeechFile } from "../clients/speech-file.ts";
import { SENT_SAMPLE_RATE_HZ } from "../speech.ts";

export interface Materials {
  /** Mono int16 at 16 kHz. */
  speech: Int16Array;
  /** The same as a file. */
  speechFile: string;
  /** The same at 48 kHz. */
  audioFile: string;
  /** I420 frames of a speaking avatar, `sizePx` squared. */
  framesFile: string;
  sizePx: number;
  /** Seconds of speech. */
  speechS: number;
  /** First seconds of its sentences. */
  sentencesFromS: number[];
  /** Removes the files. */
  close(): Promise<void>;
}

/** Length of the prepared film, s: 50 MB. */
const FILM_S = 5;

/** Speaks and renders. `speechS`: least length of the speech. */
export async function makeMaterials(speechS: number): Promise<Materials> {
  const { file, samples, sentencesFromS, folder, close } = await makeSpeechFile(speechS);
  const [audioFile, framesFile] = ["audio", "frames"].map((name) => join(folder, `${name}.raw`));
  const resampler = new Resampler(SENT_SAMPLE_RATE_HZ, PLAYOUT_SAMPLE_RATE_HZ);
  const audio = Float32Array.from([...resampler.push(toFloatSamples(samples)), ...resampler.flush()]);
  await writeFile(audioFile, toInt16Samples(audio));
  const sizePx = await renderFilm(framesFile, samples);
  return {
    speech: samples,
    speechFile: file,
    audioFile,
    framesFile,
    sizePx,
    sentencesFromS,
    close,
    speechS: samples.length / SENT_SAMPLE_RATE_HZ,
  };
}

/** Writes the frames of a speaking avatar and returns their width in pixels. */
async function renderFilm(path: string, speech: Int16Array): Promise<number> {
  const runtime = createNodeRuntime();
  const avatar = await openAvatar(await bakeFirst(runtime, "essence-2", CANVAS_SIZES["1:1"]), runtime);
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel() });
  const file = await open(path, "w");
  try {
    const segment = engine.openSegment("film", SENT_SAMPLE_RATE_HZ);
    segment.push(speech.subarray(0, FILM_S * SENT_SAMPLE_RATE_HZ));
    segment.end();
    for (let tick = 0; tick < (FILM_S * 1000) / HOP_MS; tick++) await file.write((await engine.tick()).videoFrame.data);
  } finally {
    await file.close();
    await engine.close();
    await avatar.close();
  }
  return avatar.widthPx;
}
