// Speaks the sentences of words.txt with a voice, for check_words.py.
//
//   npx tsx lab/independent/say-words.ts FOLDER VOICE [formant] [LANGUAGE]
//
// VOICE: M1 to M5, F1 to F5; FOLDER/VOICE/00.wav …. LANGUAGE: of words-LANGUAGE.txt; FOLDER/VOICE-LANGUAGE/00.wav ….
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { DefaultVoice } from "../../src/speech/voice/default-voice.ts";
import { NeuralSynthesizer } from "../../src/speech/voice/neural/neural-synthesizer.ts";
import { NeuralVoice } from "../../src/speech/voice/neural/neural-voice.ts";

/** Leaves the machine to everyone else. */
const NICENESS = 19;

const [folder, voiceId, ...rest] = process.argv.slice(2);
if (!folder || !voiceId) throw new Error("usage: say-words.ts FOLDER VOICE [formant] [LANGUAGE]");
const engine = rest.includes("formant") ? "formant" : undefined;
const language = rest.find((word) => word !== "formant");
const list = language ? `./words-${language}.txt` : "./words.txt";
const sentences = (await readFile(new URL(list, import.meta.url), "utf8")).trim().split("\n");
const neural = new NeuralVoice({ pieces: new NeuralSynthesizer({ niceness: NICENESS }) });
const voice = new DefaultVoice({ engine, neural });
const target = join(folder, [voiceId, engine, language].filter(Boolean).join("-"));
await mkdir(target, { recursive: true });
for (const [index, sentence] of sentences.entries()) {
  const pieces: Int16Array[] = [];
  let sampleRateHz = 0;
  for await (const piece of voice.synthesize(sentence, { voiceId, language })) {
    pieces.push(piece.samples);
    sampleRateHz = piece.sampleRateHz;
  }
  const name = `${String(index).padStart(2, "0")}.wav`;
  await writeFile(join(target, name), writeWav({ samples: joinSamples(pieces), sampleRateHz }));
}
await Promise.all([voice.close(), neural.close()]);
