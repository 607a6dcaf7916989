// Runs audio through the same streaming path as a live avatar session, without a face.
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { FRAME_RATE_FPS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { SegmentSequencer } from "../../../src/face/engine/segment-sequencer.ts";
import { likeliestViseme } from "../../../src/face/lip-sync/likeliest-viseme.ts";
import type { LipSyncNetwork } from "../../../src/face/lip-sync/lip-sync-network.ts";
import { LipSyncStream } from "../../../src/face/lip-sync/lip-sync-stream.ts";
import { MouthShaper } from "../../../src/face/lip-sync/mouth-shaper.ts";
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";
import type { Viseme } from "../../../src/speech/visemes/visemes.ts";

export interface ShapeMouthOptions {
  /** See `EngineOptions`. */
  expressiveness?: number;
  /** Visemes known from the text; see `SegmentInput.push`. */
  visemes?: readonly TimedViseme[];
}

/** Each list has one entry per frame. */
export interface MouthShapes {
  /** See `likeliestViseme`. */
  visemes: Viseme[];
  /** Lip closure, 0..1; above 0.5 counts as closed. */
  closed: number[];
  /** Face parameters relative to the rest pose, in the order of FACE_PARAMETERS. */
  parameters: number[][];
}

/** Audio given to the sequencer at a time: what a sender in real time would have sent in a tick. */
const TICK_SECONDS = 1 / FRAME_RATE_FPS;

/** Mouth shapes for a whole recording, look-ahead removed: one entry per 40 ms, the last one for the remainder. */
export async function shapeMouth(
  network: LipSyncNetwork,
  audio: PcmAudio,
  options: ShapeMouthOptions = {},
): Promise<MouthShapes> {
  const { samples, sampleRateHz } = audio;
  const sequencer = new SegmentSequencer({
    stream: new LipSyncStream(network),
    outputRateHz: PLAYOUT_SAMPLE_RATE_HZ,
    audioLeadTicks: 0,
  });
  const segment = sequencer.open("file", sampleRateHz);
  const mouth = new MouthShaper(options.expressiveness);
  const block = new Int16Array(PLAYOUT_SAMPLE_RATE_HZ * TICK_SECONDS);
  const chunkSamples = Math.ceil(sampleRateHz * TICK_SECONDS);
  const shapes: MouthShapes = { visemes: [], closed: [], parameters: [] };
  for (let offset = 0, isOver = false; !isOver; offset += chunkSamples) {
    const known = offset === 0 ? options.visemes : undefined;
    if (offset >= samples.length) segment.end();
    else sequencer.push(segment, samples.subarray(offset, offset + chunkSamples), known);
    await sequencer.computeAhead();
    const step = sequencer.step(block);
    isOver = step.events.some((event) => event.type === "segment-finished");
    if (!step.speech) continue;
    shapes.visemes.push(likeliestViseme(step.speech));
    const parameters = mouth.speak(step.speech);
    shapes.closed.push(round(mouth.closed));
    shapes.parameters.push(Array.from({ length: FACE_PARAMETER_COUNT }, (_, k) => round(parameters[k])));
  }
  return shapes;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
