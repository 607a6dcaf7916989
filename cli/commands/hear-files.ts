// Runs sound files through the same streaming path as a live avatar session, without a face.
import { FACE_PARAMETER_COUNT, FACE_PARAMETERS } from "../../shared/face-parameters.ts";
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { Sound } from "../../src/audio/wav.ts";
import { Playout } from "../../src/engine/playout.ts";
import { loadHearingModel } from "../../src/hearing/hearing-model.ts";
import { HearingNetwork } from "../../src/hearing/hearing-network.ts";
import { HearingStream } from "../../src/hearing/hearing-stream.ts";
import { MouthShaper } from "../../src/hearing/mouth-shaper.ts";
import type { TimedViseme } from "../../src/hearing/timed-viseme.ts";
import { VISEMES, type Viseme } from "../../src/hearing/visemes.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { decodeAudio } from "../../src/media/decode-audio.ts";
import { CliError } from "../cli-error.ts";

/** One line of `avatar hear --json`. */
export interface HeardFile {
  file: string;
  fps: number;
  /** The likeliest class of each picture. */
  visemes: Viseme[];
  /** How shut the lips are in each picture, 0..1; above 0.5 means shut. */
  closed: number[];
  names: readonly string[];
  /** Face parameters of each picture, relative to the rest pose, in the order of `names`. */
  parameters: number[][];
}

export interface HearOptions {
  /** See `EngineOptions`. */
  expressiveness?: number;
  /** What is known of the mouth from the text; see `SegmentInput.push`. */
  visemes?: readonly TimedViseme[];
}

/** Sound given to the playout at a time: what a sender in real time would have sent in a tick. */
const TICK_SECONDS = 1 / FRAME_RATE_FPS;

/** Hears each file and hands one JSON line for it to `write`. Throws CliError `usage` for an expressiveness outside 0.5–1.5, and whatever reading a
 *  file throws. */
export async function hearFiles(files: string[], expressiveness: number, write: (line: string) => void): Promise<void> {
  if (!(expressiveness >= 0.5 && expressiveness <= 1.5)) {
    throw new CliError("usage", "--expressiveness runs from 0.5 to 1.5.");
  }
  const network = await HearingNetwork.load(createNodeRuntime(), await loadHearingModel());
  try {
    for (const file of files) {
      const sound = await decodeAudio(file, { ffmpegPath: process.env.FFMPEG_PATH });
      write(JSON.stringify({ file, ...(await hearSound(network, sound, { expressiveness })) }));
    }
  } finally {
    await network.close();
  }
}

/** Visemes, closures and parameters of one sound, look-ahead removed: one entry for each 40 ms, the last one for what is left. */
export async function hearSound(
  network: HearingNetwork,
  sound: Sound,
  { expressiveness, visemes: known }: HearOptions = {},
): Promise<Omit<HeardFile, "file">> {
  const playout = new Playout(new HearingStream(network), PLAYOUT_SAMPLE_RATE_HZ, 0);
  const segment = playout.open("file", sound.sampleRateHz);
  const mouth = new MouthShaper(expressiveness);
  const audio = new Int16Array(PLAYOUT_SAMPLE_RATE_HZ * TICK_SECONDS);
  const chunkSamples = Math.ceil(sound.sampleRateHz * TICK_SECONDS);
  const heard: Omit<HeardFile, "file"> = {
    fps: FRAME_RATE_FPS,
    visemes: [],
    closed: [],
    names: FACE_PARAMETERS,
    parameters: [],
  };
  for (let offset = 0, isOver = false; !isOver; offset += chunkSamples) {
    if (offset < sound.samples.length) {
      playout.push(
        segment,
        sound.samples.subarray(offset, offset + chunkSamples),
        sound.sampleRateHz,
        offset === 0 ? known : undefined,
      );
    } else segment.end();
    await playout.hearAhead();
    const step = playout.step(audio);
    isOver = step.events.some((event) => event.type === "segment-finished");
    if (!step.heard) continue;
    const { visemes } = step.heard;
    heard.visemes.push(VISEMES[visemes.indexOf(Math.max(...visemes))]);
    const parameters = mouth.speak(step.heard);
    heard.closed.push(round(mouth.closed));
    heard.parameters.push(Array.from({ length: FACE_PARAMETER_COUNT }, (_, k) => round(parameters[k])));
  }
  return heard;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
