// Measures the voice in an untrusted sample. Runs in the voice process only.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { measureVoiceCharacter, type VoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import { LISTENED_SECONDS } from "../../../src/speech/voice/measuring/voice-pitch.ts";

export interface VoiceTask {
  /** Audio file as received. */
  bytes: Uint8Array;
  /** As in `MediaToolOptions`. */
  ffmpegPath?: string;
}

export interface MeasuredVoice {
  /** Null if there is no speech. */
  character: VoiceCharacter | null;
  /** Length of the decoded part, ms: at most 30 s. */
  durationMs: number;
}

const DECODE_TIMEOUT_MS = 45_000;

/** Writes an audio file to `folder`, decodes its beginning and measures the voice in it. Throws
 *  unsupported-media if the file has no audio, and unavailable if it cannot be decoded in time or no decoder is
 *  available. */
export async function measureVoice({ bytes, ffmpegPath }: VoiceTask, folder: string): Promise<MeasuredVoice> {
  const path = join(folder, "sample");
  try {
    await writeFile(path, bytes);
    const limits = { onlySeconds: LISTENED_SECONDS, timeoutMs: DECODE_TIMEOUT_MS, ffmpegPath };
    const { samples, sampleRateHz } = await decodeAudio(path, limits);
    return {
      character: measureVoiceCharacter(samples, sampleRateHz),
      durationMs: Math.round((1000 * samples.length) / sampleRateHz),
    };
  } catch (error) {
    // Messages of invalid-input contain our temporary path.
    if (!isEngineError(error) || error.code !== "invalid-input") throw error;
    throw new EngineError(
      "unsupported-media",
      "The audio file cannot be decoded. Send WAV, MP3 or another common audio format.",
      { cause: error },
    );
  } finally {
    await rm(path, { force: true });
  }
}
