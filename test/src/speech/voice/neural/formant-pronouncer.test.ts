import t from "tap";
import { prepareSpeech } from "../../../../../src/speech/text/prepare-speech.ts";
import type { SpokenSamples } from "../../../../../src/speech/voice/espeak-messages.ts";
import { pronouncedWords } from "../../../../../src/speech/voice/neural/formant-pronouncer.ts";

/** Reads a report written as `word@ms phoneme@ms …`; a word begins with its place in the spoken line. */
function report(spoken: string, notation: string): Pick<SpokenSamples, "phonemes" | "words"> {
  const entries = notation.split(" ").map((entry) => {
    const [text, ms] = entry.split("@");
    return { text, startMs: Number(ms) };
  });
  const isWord = ({ text }: { text: string }) => text.startsWith("#");
  return {
    phonemes: entries.filter((entry) => !isWord(entry)),
    words: entries
      .filter(isWord)
      .map(({ text, startMs }) => ({ fromCharacter: spoken.indexOf(text.slice(1)), startMs })),
  };
}

t.test("each word gets its phonemes, in the network's letters, and keeps its place and mark", async (t) => {
  const [sentence] = prepareSpeech("Ciao, la pizza e gli amici.", "it");
  const reported = report(
    sentence.spoken,
    "#Ciao@0 tʃ@0 ˈaʊ@50 @90 #la@100 l@100 a@110 #pizza@120 p@121 ˈi@130 ts@140 a@150 #e@160 e@160 " +
      "#amici@190 a@190 m@200 ˈi@210 tʃ@220 ɪ@230 @240",
  );
  t.same(
    pronouncedWords(sentence.words, reported).map(({ text, phonemes, mark }) => `${text} ${phonemes}${mark}`),
    ["Ciao ʧˈW,", "la la", "pizza pˈiʦa", "e e", "amici amˈiʧɪ."],
    "a word that is spoken as part of another one is left out",
  );
});

t.test("a mark of a word without a sound belongs to the word before; no words, no phonemes", async (t) => {
  const [sentence] = prepareSpeech("Je vois le ciel.", "fr");
  const spoken = report(sentence.spoken, "#Je@0 ʒ@0 ə-@10 #vois@20 v@20 w@30 a@40 #le@50 l@50");
  t.same(
    pronouncedWords(sentence.words, spoken).map(({ phonemes, mark }) => phonemes + mark),
    ["ʒə", "vwa", "l."],
  );
  t.same(pronouncedWords([], spoken), []);
});
