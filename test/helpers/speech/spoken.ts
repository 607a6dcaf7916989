// Real speech for tests, made by the built-in voice, with the times at which lips are shut.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples } from "../../../src/signal/audio/samples.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";
import type { SpokenSentence } from "../../../src/speech/voice/voice.ts";

/** Sentences full of P, B and M. */
export const BILABIAL_SENTENCES = [
  "Please bring my big blue paper bag back home before Monday.",
  "My mother may make some more marmalade for Bob.",
  "Pamela bought a bumpy purple pumpkin by the pub.",
];

/** Speaks the sentences with each of the voices. */
export async function speakSentences(sentences: string[], voiceIds: string[]): Promise<SpokenSentence[]> {
  const voice = new EspeakVoice();
  const spoken: SpokenSentence[] = [];
  try {
    for (const voiceId of voiceIds) {
      for (const sentence of sentences) {
        for await (const part of joinPieces(voice.synthesize(sentence, { voiceId }))) spoken.push(part);
      }
    }
  } finally {
    await voice.close();
  }
  return spoken;
}

/** The audio of a sentence as the lip-sync network takes it. */
export function toSpeechAudio({ samples, sampleRateHz }: SpokenSentence): Float32Array {
  const resampler = new Resampler(sampleRateHz, SPEECH_SAMPLE_RATE_HZ);
  return Float32Array.from([...resampler.push(toFloatSamples(samples)), ...resampler.flush()]);
}

/** Middles of the P, B and M of a sentence, ms. The synthesizer marks the burst of a stop; the lips are shut before
 *  it. */
export function closureTimesMs({ phonemes }: SpokenSentence): number[] {
  const times: number[] = [];
  for (const [i, { text, startMs }] of phonemes.entries()) {
    const symbol = text.replace(/[ˈˌ]/g, "");
    if (/^[pb]/.test(symbol)) times.push(startMs - 15);
    if (/^m/.test(symbol)) times.push((startMs + (phonemes[i + 1]?.startMs ?? startMs + 80)) / 2);
  }
  return times;
}
