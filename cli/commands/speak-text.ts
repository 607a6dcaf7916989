// Speaks a text with a built-in voice, for commands that take text instead of an audio file.
import type { PcmAudio } from "../../src/audio/wav.ts";
import type { TimedViseme } from "../../src/hearing/timed-viseme.ts";
import { EspeakVoice } from "../../src/voice/espeak-voice.ts";
import type { SpeechOptions } from "../../src/voice/voice.ts";

/** Audio with its visemes. */
export interface SpokenText {
  audio: PcmAudio;
  /** Times from the start of the audio, in order. */
  visemes: TimedViseme[];
}

/** The whole text as one piece of audio; empty for a text without words. Throws what `Voice.synthesize` throws. */
export async function speakText(text: string, options: SpeechOptions): Promise<SpokenText> {
  const voice = new EspeakVoice();
  const pieces: Int16Array[] = [];
  const visemes: TimedViseme[] = [];
  let sampleRateHz = 22_050;
  let totalSamples = 0;
  try {
    for await (const sentence of voice.synthesize(text, options)) {
      sampleRateHz = sentence.sampleRateHz;
      const atMs = (totalSamples * 1000) / sampleRateHz;
      for (const { viseme, startMs, endMs } of sentence.visemes) {
        visemes.push({ viseme, startMs: startMs + atMs, endMs: endMs + atMs });
      }
      pieces.push(sentence.samples);
      totalSamples += sentence.samples.length;
    }
  } finally {
    await voice.close();
  }
  const samples = new Int16Array(totalSamples);
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  return { audio: { samples, sampleRateHz }, visemes };
}
