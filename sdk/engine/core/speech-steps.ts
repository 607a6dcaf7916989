// Renders a speech of any length, which need not be known: audio goes in as it is needed.
import { EngineError } from "../../../shared/engine-error.ts";
import { HOP_MS } from "../../../shared/units.ts";
import type { Engine, SegmentInput } from "../../../src/face/engine/engine.ts";
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import type { RenderedStep, TimedGesture } from "../avatar.ts";
import { abortable } from "./abortable.ts";

/** Longest piece that is given to the engine, so that its queue stays short. */
const PIECE_SECONDS = 1;

/** Steps from the first audio to the last. The engine is used up; it stays the caller's. Throws
 *  EngineError(invalid-input) if there is no audio, or its rate changes or is out of range, what the pieces throw, and
 *  the signal's reason. */
export async function* speechSteps(
  engine: Engine,
  pieces: AsyncIterable<PcmAudio>,
  { gestures = [], signal }: { gestures?: readonly TimedGesture[]; signal?: AbortSignal },
): AsyncGenerator<RenderedStep> {
  const coming = [...gestures].sort((one, other) => one.atMs - other.atMs);
  const arriving = shortPieces(pieces)[Symbol.asyncIterator]();
  let segment: SegmentInput | undefined;
  let rateHz = 0;
  let isWhole = false;
  let steps = 0;
  try {
    for (;;) {
      while (!isWhole && engine.readiness() !== "ready") {
        const { done, value } = await abortable(arriving.next(), signal);
        if (done) {
          isWhole = true;
          segment?.end();
        } else {
          segment ??= openSegment(engine, value.sampleRateHz);
          rateHz ||= value.sampleRateHz;
          if (value.sampleRateHz !== rateHz)
            throw new EngineError("invalid-input", "The sample rate changes within the speech.");
          segment.push(value.samples);
        }
      }
      signal?.throwIfAborted();
      while (coming.length > 0 && coming[0].atMs < (steps + 1) * HOP_MS) engine.trigger(coming.shift()!.name);
      const tick = segment ? await engine.tick() : null;
      if (tick?.isSpeaking) {
        steps += 1;
        yield {
          frame: tick.videoFrame,
          audio: { samples: tick.audio.slice(), sampleRateHz: engine.sampleRateHz },
        };
      }
      if (tick === null || tick.events.some(({ type }) => type === "segment-finished")) break;
    }
    if (steps === 0) throw new EngineError("invalid-input", "The recording is empty: it has no audio.");
  } finally {
    // A source that makes its next piece answers this only after that.
    void arriving.return(undefined).catch(() => undefined);
  }
}

function openSegment(engine: Engine, sampleRateHz: number): SegmentInput {
  try {
    return engine.openSegment("speech", sampleRateHz);
  } catch (cause) {
    throw new EngineError("invalid-input", `Speech has 8,000 to 192,000 samples a second, not ${sampleRateHz}.`, {
      cause,
    });
  }
}

async function* shortPieces(pieces: AsyncIterable<PcmAudio>): AsyncGenerator<PcmAudio> {
  for await (const { samples, sampleRateHz } of pieces) {
    const most = Math.max(1, sampleRateHz * PIECE_SECONDS);
    for (let at = 0; at < samples.length; at += most) yield { samples: samples.subarray(at, at + most), sampleRateHz };
  }
}
