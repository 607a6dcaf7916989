// Test speech from the built-in voice.
import { SPEECH_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import { EspeakVoice } from "../../src/speech/voice/espeak-voice.ts";

/** Rate of the speech: the rate that voice agents are asked to send. */
export const SENT_SAMPLE_RATE_HZ = SPEECH_SAMPLE_RATE_HZ;

const SENTENCES = [
  "Please bring my big blue paper bag back home before Monday.",
  "The weather was fine, so we walked along the river and talked about music.",
  "How many people would you like to invite, and where should they sit?",
  "My mother made some more marmalade for Bob.",
  "Above the hills a small white cloud was moving slowly to the west.",
];

/** Sentences, one after the other, until `durationS` is reached: each mono int16 at 16 kHz with the pause that follows
 *  it. */
export async function speakFor(durationS: number): Promise<Int16Array[]> {
  const voice = new EspeakVoice();
  const sentences: Int16Array[] = [];
  try {
    let samples = 0;
    for (let index = 0; samples < durationS * SENT_SAMPLE_RATE_HZ; index++) {
      for await (const spoken of voice.synthesize(SENTENCES[index % SENTENCES.length])) {
        const resampler = new Resampler(spoken.sampleRateHz, SENT_SAMPLE_RATE_HZ);
        const audio = [...resampler.push(toFloatSamples(spoken.samples)), ...resampler.flush()];
        sentences.push(toInt16Samples(Float32Array.from(audio)));
        samples += audio.length;
      }
    }
  } finally {
    await voice.close();
  }
  return sentences;
}
