// A ten-second film for visual inspection: the face idles, speaks, greets, listens and idles again.
import { FRAME_RATE_FPS } from "../../../shared/units.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { Mp4Writer } from "../../../src/signal/media/mp4-writer.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";

const SECONDS = 10;
const WORDS = "Hello, it is good to see you. My mother bought five blue shoes, and you?";
/** Start of each part, in ticks of 40 ms. */
const SPEAKS_AT = 25;
const GREETS_AT = 165;
const LISTENS_AT = 190;
const LISTENS_NO_MORE_AT = 225;

export const SHEET_FILM_TICKS = SECONDS * FRAME_RATE_FPS;

export interface SheetFilm {
  avatar: Avatar;
  runtime: InferenceRuntime;
  output: string;
  /** An ffmpeg program to use instead of the bundled library. */
  ffmpegPath: string | undefined;
  /** Size of mouth movements, 0..1. */
  expressiveness: number;
  signal: AbortSignal;
  /** Called with the number of frames rendered so far. */
  onFrame(frames: number): void;
}

/** Writes the film. Throws EngineError(unavailable) if the voice or the encoder is missing. */
export async function writeSheetFilm(film: SheetFilm): Promise<void> {
  const { avatar, runtime, output, ffmpegPath, expressiveness, signal, onFrame } = film;
  const voice = new EspeakVoice();
  const engine = await createEngine({ avatar, runtime, lipSyncModel: await loadLipSyncModel(), expressiveness });
  const { widthPx, heightPx } = avatar;
  const writer = Mp4Writer.open(output, {
    widthPx,
    heightPx,
    frameRateFps: FRAME_RATE_FPS,
    sampleRateHz: engine.sampleRateHz,
    ffmpegPath,
  });
  try {
    for (let tick = 0; tick < SHEET_FILM_TICKS; tick++) {
      signal.throwIfAborted();
      if (tick === SPEAKS_AT) {
        for await (const { samples, sampleRateHz } of voice.synthesize(WORDS, { voiceId: "F1" })) {
          const segment = engine.openSegment(`sentence-${samples.length}`, sampleRateHz);
          segment.push(samples);
          segment.end();
        }
      }
      if (tick === GREETS_AT) engine.trigger("mini_wave_hello");
      if (tick === LISTENS_AT || tick === LISTENS_NO_MORE_AT) engine.listening(tick === LISTENS_AT);
      const { videoFrame, audio } = await engine.tick();
      await writer.writeFrame(videoFrame);
      await writer.writeAudio(audio);
      onFrame(tick + 1);
    }
    await writer.finish();
  } finally {
    await writer.abort();
    await engine.close();
    await voice.close();
  }
}
