// A speech that a worker renders: the page reads its audio and takes its frames.
import type { PcmAudio } from "../../../../src/signal/audio/wav.ts";
import type { FrameFormat, RenderedStep, RenderOptions } from "../../avatar.ts";
import { abortable } from "../../core/abortable.ts";
import { toProblem } from "./problem.ts";
import type { WorkerLink } from "./worker-link.ts";

/** Frames that are rendered while the page uses one. */
const AHEAD = 2;

/** Throws what the worker and the pieces throw, and the signal's reason. */
export async function* renderedSteps(
  link: WorkerLink,
  pieces: AsyncIterable<PcmAudio>,
  { signal, ...options }: RenderOptions<FrameFormat>,
): AsyncGenerator<RenderedStep<FrameFormat>> {
  signal?.throwIfAborted();
  const arriving = pieces[Symbol.asyncIterator]();
  let failure: { error: unknown } | undefined;
  const rendering = link.register(() => {
    arriving.next().then(
      ({ done, value }) => link.tell({ order: "piece", rendering, piece: done ? null : ownPiece(value) }),
      (error: unknown) => {
        failure = { error };
        link.tell({ order: "broken", rendering, problem: toProblem(error) });
      },
    );
  });
  const coming: Promise<RenderedStep<FrameFormat> | null>[] = [];
  try {
    await abortable(link.call({ name: "render", rendering, options }), signal);
    for (;;) {
      while (coming.length <= AHEAD) {
        const next = link.call({ name: "next", rendering });
        next.catch(() => undefined);
        coming.push(next);
      }
      const step = await abortable(coming.shift()!, signal);
      if (!step) return;
      yield step;
    }
  } catch (error) {
    // The error as the caller's own source threw it.
    throw failure && !signal?.aborted ? failure.error : error;
  } finally {
    link.forget(rendering);
    for (const step of coming) void step.then(discard, () => undefined);
    void arriving.return?.(undefined)?.catch(() => undefined);
  }
}

/** A part of an array would be sent with all of it. */
function ownPiece({ samples, sampleRateHz }: PcmAudio): PcmAudio {
  return { samples: samples.slice(), sampleRateHz };
}

function discard(step: RenderedStep<FrameFormat> | null): void {
  if (step?.frame instanceof ImageBitmap) step.frame.close();
}
