// Measures the voice in a stranger's sample. Runs in the voice process only.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { decodeAudio } from "../../../src/media/decode-audio.ts";
import { LISTENED_SECONDS, measureVoicePitch } from "../../../src/voice/voice-pitch.ts";

export interface MeasuredVoice {
  /** Median pitch, Hz; null if there is no speech. */
  pitchHz: number | null;
  /** Length of the decoded part, ms: at most half a minute. */
  durationMs: number;
}

const DECODE_TIMEOUT_MS = 45_000;

/** Decodes the beginning of a sound file, by way of a file in `folder`, and measures the voice in it. Throws ServiceError
 *  UNSUPPORTED_TYPE if it is no sound, SERVICE_UNAVAILABLE if it cannot be decoded here or in time. */
export async function measureVoice(bytes: Uint8Array, folder: string): Promise<MeasuredVoice> {
  const path = join(folder, "sample");
  try {
    await writeFile(path, bytes);
    const limits = { onlySeconds: LISTENED_SECONDS, timeoutMs: DECODE_TIMEOUT_MS };
    const { samples, sampleRateHz } = await decodeAudio(path, limits);
    const pitch = measureVoicePitch(samples, sampleRateHz);
    return { pitchHz: pitch?.medianHz ?? null, durationMs: Math.round((1000 * samples.length) / sampleRateHz) };
  } catch (error) {
    // Messages about the file name our own temporary path.
    if (!isServiceError(error) || error.code !== "VALIDATION_ERROR") throw error;
    throw new ServiceError("UNSUPPORTED_TYPE", "The audio is not a sound file that can be read", { cause: error });
  } finally {
    await rm(path, { force: true });
  }
}
