// Listens to a stranger's voice sample. Runs in the portrait process only.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { decodeAudio } from "../../../src/media/decode-audio.ts";
import { measureVoicePitch } from "../../../src/voice/voice-pitch.ts";
import type { MeasureVoiceResult } from "./portrait-messages.ts";

/** Decodes any common sound file and measures the voice in it. Throws ServiceError: UNSUPPORTED_TYPE if it is no sound, and what
 *  `decodeAudio` throws for one that is too long. */
export async function measureVoice(bytes: Uint8Array): Promise<MeasureVoiceResult> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-voice-"));
  try {
    const path = join(folder, "sample");
    await writeFile(path, bytes);
    const { samples, sampleRateHz } = await decodeAudio(path);
    const pitch = measureVoicePitch(samples, sampleRateHz);
    return { pitchHz: pitch?.medianHz ?? null, durationMs: Math.round((1000 * samples.length) / sampleRateHz) };
  } catch (error) {
    // Messages about the file name our own temporary path.
    if (!isServiceError(error) || error.code !== "VALIDATION_ERROR") throw error;
    throw new ServiceError("UNSUPPORTED_TYPE", "The audio is not a sound file that can be read", { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
