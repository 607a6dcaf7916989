// Writes down what a recording says, part by part: parts of other requests are recognised in between.

import { EngineError, isEngineError } from "../../shared/engine-error.ts";
import { ServiceError } from "../../shared/errors.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { PcmAudio } from "../../src/signal/audio/wav.ts";
import { decodeAudio } from "../../src/signal/media/decode-audio.ts";
import { MAX_RECOGNITION_S } from "../../src/speech/recognition/recogniser.ts";
import { cutAtPauses } from "../../src/speech/recognition/windows.ts";
import { toServiceError } from "../kernel/to-service-error.ts";
import type { SpeechResult, TranscriptionServices } from "./speech-services.ts";

export interface Recording {
  /** Of a file of any format that the media program reads. */
  path: string;
  /** Expected language, a BCP 47 tag; undefined: the likeliest. */
  language: string | undefined;
}

/** What is said between two times of a recording. */
export interface TranscribedPart {
  startS: number;
  endS: number;
  /** Empty if there is no speech. */
  text: string;
  /** ISO 639-1 code. */
  language: string;
  /** Probability that there is no speech, 0 to 1. */
  noSpeech: number;
  /** Mean natural logarithm of the probabilities of the tokens. */
  meanLogProbability: number;
}

/** Ten minutes of what phones and browsers record are decoded in two seconds. */
const DECODE_TIMEOUT_MS = 30_000;
/** Reading this much takes 10 ms; voice agents send less. */
const MAX_OWN_WAV_BYTES = 2_000_000;
const RETRY_AFTER_SECONDS = 5;

/** The parts of a recording in order, up to 29 s each; the last one ends with it. Takes a slot with the first part, and
 *  gives it back at the end, on errors and at `return`. `signal`: the client disconnected. Throws ServiceError:
 *  VALIDATION_ERROR (no audio), FILE_TOO_LARGE (longer than ten minutes), SERVICE_UNAVAILABLE with Retry-After (no
 *  slot, too late, no recogniser), UPSTREAM_ERROR; the signal's reason. */
export async function* transcribe(
  { transcriptions }: { transcriptions: TranscriptionServices },
  userId: string,
  recording: Recording,
  signal: AbortSignal,
): AsyncGenerator<TranscribedPart, void> {
  const { slots, stt, ffmpegPath, policies, count } = transcriptions;
  let free: () => void;
  try {
    free = slots.take(userId);
  } catch (error) {
    count("busy");
    throw error;
  }
  const late = AbortSignal.timeout(policies.deadlineMs);
  const stop = AbortSignal.any([signal, late]);
  let result: SpeechResult = "abandoned";
  try {
    const { samples, sampleRateHz } = await readRecording(recording.path, ffmpegPath, stop);
    let endS = 0;
    for (const part of cutAtPauses(samples, sampleRateHz)) {
      const startS = endS;
      endS += part.length / sampleRateHz;
      const options = { language: recording.language, sampleRateHz, owner: userId, signal: stop };
      yield { startS, endS, ...(await stt.transcribe(part, options)) };
    }
    result = "completed";
  } catch (error) {
    signal.throwIfAborted();
    result = "failed";
    throw late.aborted ? tooLate(policies.deadlineMs) : isEngineError(error) ? toServiceError(error) : error;
  } finally {
    free();
    count(result);
  }
}

async function readRecording(path: string, ffmpegPath: string | undefined, signal: AbortSignal): Promise<PcmAudio> {
  try {
    return await decodeAudio(path, {
      maxSeconds: MAX_RECOGNITION_S,
      timeoutMs: DECODE_TIMEOUT_MS,
      maxOwnWavBytes: MAX_OWN_WAV_BYTES,
      programRateHz: SPEECH_SAMPLE_RATE_HZ,
      ffmpegPath,
      signal,
    });
  } catch (error) {
    // The decoder's message contains our temporary path.
    if (!isEngineError(error) || error.code !== "invalid-input") throw error;
    const message = "The file has no readable audio. Send WAV, MP3, MP4, M4A, WebM, Ogg or FLAC.";
    throw new EngineError("invalid-input", message, { cause: error });
  }
}

function tooLate(deadlineMs: number): ServiceError {
  return new ServiceError("SERVICE_UNAVAILABLE", `The recording was not transcribed within ${deadlineMs / 1000} s.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
