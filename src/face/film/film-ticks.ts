// What a film consists of: the steps of an engine that speaks one piece of audio or makes a gesture, or a face at rest.
import { FRAME_RATE_FPS, HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { Engine, EngineTick } from "../engine/engine.ts";
import type { Avatar } from "../rendering/avatar.ts";
import type { FilmSpeech } from "./film-speech.ts";
import { restLoop } from "./rest-loop.ts";

/** Audio pushed at a time. The engine queues ten minutes at most, and films may be longer. */
const PUSHED_SECONDS = 1;

/** One frame of a film, with its 40 ms of audio. Valid until the next one. */
export type FilmTick = Pick<EngineTick, "videoFrame" | "audio">;

/** Number of frames of a film with this audio. */
export function expectedFrames({ samples, sampleRateHz }: FilmSpeech["audio"]): number {
  return Math.ceil((samples.length * 1000) / sampleRateHz / HOP_MS);
}

/** The ticks from the first audio to the last, one for each frame of 40 ms. A tick is valid until the next one. */
export async function* filmTicks(
  engine: Engine,
  { audio, visemes, expressions = [] }: FilmSpeech,
): AsyncGenerator<EngineTick> {
  const segment = engine.openSegment("film", audio.sampleRateHz);
  for (const { expression, atMs } of expressions) segment.express(expression, atMs);
  const pieceSamples = audio.sampleRateHz * PUSHED_SECONDS;
  let pushed = 0;
  for (let ticks = 0; ; ticks++) {
    // A second ahead of the frames, so that lip sync always has its look-ahead.
    while (pushed < audio.samples.length && pushed / audio.sampleRateHz < (ticks * HOP_MS) / 1000 + PUSHED_SECONDS) {
      segment.push(audio.samples.subarray(pushed, pushed + pieceSamples), pushed === 0 ? visemes : undefined);
      pushed += pieceSamples;
    }
    if (pushed >= audio.samples.length) segment.end();
    const tick = await engine.tick();
    if (tick.isSpeaking) yield tick;
    if (tick.events.some((event) => event.type === "segment-finished")) return;
  }
}

/** The ticks of a gesture, from its start, in silence. Throws RangeError if the avatar has no such gesture. */
export async function* gestureTicks(engine: Engine, gesture: string, frames: number): AsyncGenerator<EngineTick> {
  if (!engine.trigger(gesture)) throw new RangeError(`the avatar has no gesture ${gesture}`);
  for (let frame = 0; frame < frames; frame++) yield await engine.tick();
}

/** A face at rest as a loop, with silence at the playout rate. */
export async function* restTicks(avatar: Avatar, frames: number): AsyncGenerator<FilmTick> {
  const audio = new Int16Array(PLAYOUT_SAMPLE_RATE_HZ / FRAME_RATE_FPS);
  for (const { parameters, breath } of restLoop(avatar, frames)) {
    yield { videoFrame: await avatar.render(parameters, breath), audio };
  }
}
