// Sentences of a person, as a microphone would give them: spoken by the neural voice, mono at 16 kHz.
import { HEARING_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Resampler } from "../../src/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/audio/samples.ts";
import { EspeakSynthesizer } from "../../src/voice/espeak-synthesizer.ts";
import { NeuralSynthesizer } from "../../src/voice/neural/neural-synthesizer.ts";
import { NeuralVoice } from "../../src/voice/neural/neural-voice.ts";

/** Speaks English sentences, one after the other, and ends the voice. */
export async function spokenByPerson(sentences: readonly string[], voiceId = "F2"): Promise<Int16Array[]> {
  const voice = new NeuralVoice({ pieces: new NeuralSynthesizer(), formants: new EspeakSynthesizer() });
  try {
    const spoken: Int16Array[] = [];
    for (const sentence of sentences) spoken.push(await speak(voice, sentence, voiceId));
    return spoken;
  } finally {
    await voice.close();
  }
}

async function speak(voice: NeuralVoice, sentence: string, voiceId: string): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  let resampler: Resampler | undefined;
  for await (const { samples, sampleRateHz } of voice.synthesize(sentence, { voiceId })) {
    resampler ??= new Resampler(sampleRateHz, HEARING_SAMPLE_RATE_HZ);
    parts.push(toInt16Samples(resampler.push(toFloatSamples(samples))));
  }
  if (resampler) parts.push(toInt16Samples(resampler.flush()));
  return Int16Array.from(parts.flatMap((part) => [...part]));
}
