// What a film says: audio, with everything that is known of it.

import { joinSamples } from "../../signal/audio/join-samples.ts";
import type { PcmAudio } from "../../signal/audio/wav.ts";
import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import { joinPieces } from "../../speech/voice/join-pieces.ts";
import { SpokenExpressions, type TimedExpression } from "../../speech/voice/spoken-expressions.ts";
import type { SpeechOptions, Voice } from "../../speech/voice/voice.ts";

/** A sentence and where it is heard, in ms from the start of the audio. */
export interface SpokenPhrase {
  text: string;
  startMs: number;
  endMs: number;
}

export interface FilmSpeech {
  audio: PcmAudio;
  /** Times from the start of the audio, in order; absent if they are not known. */
  visemes?: readonly TimedViseme[];
  /** In order; absent if the text is not known. */
  phrases?: readonly SpokenPhrase[];
  /** What the face shows, from the start of the audio, in order; absent if nothing sets it. */
  expressions?: readonly TimedExpression[];
}

/** Rate of a speech without any sentence, Hz. */
const EMPTY_RATE_HZ = 22_050;

export interface SpeakTextLimits {
  /** Stops with the first sentence that ends later, so that the result is longer than this, but not by much. Default:
   *  no limit. */
  maxSeconds?: number;
  /** Stops with the sentence that is being made. Default: none. */
  signal?: AbortSignal;
}

/** Speaks a whole text as one piece of audio, which is empty for a text without words. Tags in it are expressions, and
 *  are not spoken. Throws what `Voice.synthesize`
 *  throws, the signal's reason, and RangeError if sentences have different sample rates. */
export async function speakText(
  voice: Voice,
  text: string,
  options: SpeechOptions,
  { maxSeconds = Number.POSITIVE_INFINITY, signal }: SpeakTextLimits = {},
): Promise<Required<FilmSpeech>> {
  const pieces: Int16Array[] = [];
  const visemes: TimedViseme[] = [];
  const phrases: SpokenPhrase[] = [];
  let rateHz: number | null = null;
  let totalSamples = 0;
  signal?.throwIfAborted();
  const expressions = new SpokenExpressions();
  for await (const sentence of joinPieces(voice.synthesize(expressions.begin(text), options))) {
    signal?.throwIfAborted();
    const { sampleRateHz, samples } = sentence;
    rateHz ??= sampleRateHz;
    if (sampleRateHz !== rateHz) throw new RangeError("the sentences of a text have different sample rates");
    const atMs = (totalSamples * 1000) / sampleRateHz;
    for (const { viseme, startMs, endMs } of sentence.visemes) {
      visemes.push({ viseme, startMs: startMs + atMs, endMs: endMs + atMs });
    }
    expressions.made(sentence, atMs);
    pieces.push(samples);
    totalSamples += samples.length;
    phrases.push({ text: sentence.text, startMs: atMs, endMs: (totalSamples * 1000) / sampleRateHz });
    if (totalSamples > maxSeconds * sampleRateHz) break;
  }
  const audio = { samples: joinSamples(pieces), sampleRateHz: rateHz ?? EMPTY_RATE_HZ };
  return { audio, visemes, phrases, expressions: expressions.timed };
}

/** Length of audio, s. */
export function secondsOf({ samples, sampleRateHz }: PcmAudio): number {
  return samples.length / sampleRateHz;
}
