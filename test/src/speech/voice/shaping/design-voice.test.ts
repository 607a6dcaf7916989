// A voice designed after a sample of a voice that the neural voice does not have.
import t from "tap";
import { joinSamples } from "../../../../../src/signal/audio/join-samples.ts";
import { DefaultVoice } from "../../../../../src/speech/voice/default-voice.ts";
import { measureVoiceCharacter } from "../../../../../src/speech/voice/measuring/voice-character.ts";
import { hasNeuralFiles } from "../../../../../src/speech/voice/neural/network-graphs.ts";
import { designVoiceLike, nearestVoice } from "../../../../../src/speech/voice/shaping/design-voice.ts";
import { designedVoiceCode, parseDesignedVoice } from "../../../../../src/speech/voice/shaping/designed-voice.ts";
import { VOICE_ANCHORS } from "../../../../../src/speech/voice/shaping/voice-anchors.ts";
import type { SpeechOptions } from "../../../../../src/speech/voice/voice.ts";
import { VOICE_IDS } from "../../../../../src/speech/voice/voice-catalogue.ts";

const TEXT =
  "The weather was fine this morning, so we went down to the river and had a long walk. No map showed where the road would lead us.";
const MOST_SEMITONES = 2;
const MOST_PACE = 0.15;
const skip = hasNeuralFiles() ? false : "the files of the neural voice are not installed";

t.test("a designed voice is near its sample in pitch, pace and brightness", { skip, timeout: 120_000 }, async (t) => {
  const formant = new DefaultVoice({ engine: "formant" });
  const voice = new DefaultVoice();
  t.teardown(() => Promise.all([formant.close(), voice.close()]));
  const speak = async (speaker: DefaultVoice, options: SpeechOptions) => {
    const parts: Int16Array[] = [];
    let rateHz = 0;
    for await (const { samples, sampleRateHz } of speaker.synthesize(TEXT, options)) {
      parts.push(samples);
      rateHz = sampleRateHz;
    }
    const samples = joinSamples(parts);
    const character = measureVoiceCharacter(samples, rateHz);
    if (!character) throw new Error("no speech");
    return { ...character, seconds: samples.length / rateHz };
  };
  // Another synthesizer's voice, lower and slower than any of the catalogue.
  const sample = await speak(formant, { voiceId: "M5", speed: 0.8 });
  const designed = designVoiceLike(sample);
  const heard = await speak(voice, { voiceId: designedVoiceCode(designed) });
  const semitones = 12 * Math.log2(heard.pitchHz / sample.pitchHz);
  t.ok(Math.abs(semitones) < MOST_SEMITONES, `${semitones.toFixed(1)} semitones off`);
  // The same words: the time tells the pace, whatever measured it in the sample.
  const pace = sample.seconds / heard.seconds - 1;
  t.ok(Math.abs(pace) < MOST_PACE, `${(100 * pace).toFixed(0)} % faster`);
  const off = (db: number | null) => Math.abs((db ?? 0) - (sample.brightnessDb ?? 0));
  const before = off(VOICE_ANCHORS[designed.baseVoiceId].brightnessDb);
  t.ok(off(heard.brightnessDb) < Math.max(3, before), "the brightness comes nearer");
});

t.test("designs keep within the axes, whatever the sample", async (t) => {
  for (const id of VOICE_IDS) {
    const { pitchHz, pace, brightnessDb } = VOICE_ANCHORS[id];
    const same = designVoiceLike({ pitchHz, pace, brightnessDb });
    t.match(same, { baseVoiceId: id, axes: { gender: 0, pitch: 0, rate: 0, brightness: 0 } });
  }
  for (const pitchHz of [60, 90, 300, 400]) {
    for (const pace of [null, 0.1, 20]) {
      const designed = designVoiceLike({ pitchHz, pace, brightnessDb: pace && -34 });
      t.ok(parseDesignedVoice(designedVoiceCode(designed)), JSON.stringify(designed));
    }
  }
  const child = designVoiceLike({ pitchHz: 320, pace: null, brightnessDb: null });
  t.match(child, { baseVoiceId: "F2", axes: { pitch: 0.5, rate: 0, brightness: 0 } });
  t.ok(child.axes.gender > 0.1, "what exceeds the pitch axis goes to the gender axis");
  t.equal(nearestVoice(115), "M1");
  t.equal(nearestVoice(115, ["F4", "F5"]), "F4");
  t.throws(() => nearestVoice(100, []), RangeError);
});
