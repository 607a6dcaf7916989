// Measures each voice of the catalogue as the default voice speaks it: the table of
// `src/speech/voice/shaping/voice-anchors.ts`.

import { joinSamples } from "../../../src/signal/audio/join-samples.ts";
import { DefaultVoice } from "../../../src/speech/voice/default-voice.ts";
import { measureVoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import { formantShift, voiceSpectrum } from "../../../src/speech/voice/measuring/voice-spectrum.ts";
import { VOICE_IDS } from "../../../src/speech/voice/voice-catalogue.ts";
import { round } from "../round.ts";

/** Statements of ordinary words, half a minute in all. */
const ANCHOR_TEXTS: readonly string[] = [
  "My grandmother kept a blue notebook in the kitchen drawer, and every summer she wrote down the names of the birds that visited her garden.",
  "Please remember to bring your passport, your ticket and a warm coat. The train leaves at seven, and nothing will wait for you at the station.",
  "Honestly, I think the second option is better. It costs a little more, but it saves time, and we can always change our minds later on.",
];

/** For each voice: median pitch (Hz), syllables per second, level above 2.5 kHz (dB), and how much higher its formants
 *  lie than those of the mean spectrum of all voices (octaves). */
export async function benchVoiceAnchors() {
  const voice = new DefaultVoice();
  const spoken: { id: string; samples: Int16Array; sampleRateHz: number }[] = [];
  try {
    for (const id of VOICE_IDS) {
      const parts: Int16Array[] = [];
      let sampleRateHz = 0;
      for await (const piece of voice.synthesize(ANCHOR_TEXTS.join(" "), { voiceId: id })) {
        parts.push(piece.samples);
        sampleRateHz = piece.sampleRateHz;
      }
      spoken.push({ id, samples: joinSamples(parts), sampleRateHz });
    }
  } finally {
    await voice.close();
  }
  const spectra = spoken.map(({ samples, sampleRateHz }) => voiceSpectrum(samples, sampleRateHz) ?? new Float64Array());
  // The mean of levels: the loudest voice counts no more than the others.
  const mean = spectra[0].map(
    (_, bin) => 10 ** (spectra.reduce((sum, all) => sum + Math.log10(all[bin]), 0) / spectra.length),
  );
  return Object.fromEntries(
    spoken.map(({ id, samples, sampleRateHz }, index) => {
      const character = measureVoiceCharacter(samples, sampleRateHz);
      return [
        id,
        {
          pitch_hz: round(character?.pitchHz ?? 0),
          pace: round(character?.pace ?? 0),
          brightness_db: round(character?.brightnessDb ?? 0),
          formants: round(formantShift(spectra[index], mean)),
        },
      ];
    }),
  );
}
