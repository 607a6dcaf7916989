// Phonemes of languages other than English, from the formant synthesizer in its own process.
import type { PronouncedWord } from "../../pronunciation/english-pronouncer.ts";
import type { PreparedSentence } from "../../text/prepared-sentence.ts";
import type { SpokenSamples } from "../espeak-messages.ts";
import type { SentenceSynthesizer } from "../espeak-synthesizer.ts";

/** How the network's letters differ from the synthesizer's: one letter for a diphthong or an affricate. Source: the
 *  letters that Kokoro 1.0 was trained with. */
const NETWORK_LETTERS: Readonly<Record<string, string>> = {
  aɪ: "I",
  aʊ: "W",
  eɪ: "A",
  oʊ: "O",
  əʊ: "Q",
  ɔɪ: "Y",
  dz: "ʣ",
  dʒ: "ʤ",
  ts: "ʦ",
  tʃ: "ʧ",
};
const TWO_LETTERS = new RegExp(Object.keys(NETWORK_LETTERS).join("|"), "gu");
/** Not sounds: a mark of French vowels that may be left out, and a remark about another language. */
const NO_SOUND = /-|\([a-z]+\)/gu;
/** The fastest: only its phonemes are used. */
const RATE_WPM = 450;

/** The words of a sentence with their phonemes, in order; words without a sound are left out. `language`: the
 *  synthesizer's name for it. `lettersOf`: writes a phoneme as the network wants it; default: the neural voice's.
 *  Rejects as `synthesizer.speak`. */
export async function pronounceByFormants(
  synthesizer: SentenceSynthesizer,
  { spoken, words }: PreparedSentence,
  language: string,
  lettersOf = networkLetters,
): Promise<PronouncedWord[]> {
  const task = { text: spoken, voiceName: language, pitch: 50, range: 50, rateWpm: RATE_WPM, phonemesOnly: true };
  return pronouncedWords(words, await synthesizer.speak(task), lettersOf);
}

/** Gives each word the phonemes that were reported for it. `words`: those of the spoken line. */
export function pronouncedWords(
  words: PreparedSentence["words"],
  report: Pick<SpokenSamples, "phonemes" | "words">,
  lettersOf = networkLetters,
): PronouncedWord[] {
  const phonemes = words.map(() => "");
  let reported = 0;
  let index = 0;
  for (const { text, startMs } of report.phonemes) {
    while (reported < report.words.length && report.words[reported].startMs <= startMs) {
      const { fromCharacter } = report.words[reported++];
      while (index + 1 < words.length && words[index + 1].spokenFrom <= fromCharacter) index++;
    }
    if (words.length > 0) phonemes[index] += lettersOf(text.replace(NO_SOUND, ""));
  }
  const pronounced: PronouncedWord[] = [];
  for (const [index, { text, fromCharacter, toCharacter, mark }] of words.entries()) {
    const last = pronounced.at(-1);
    if (phonemes[index] !== "") pronounced.push({ text, fromCharacter, toCharacter, mark, phonemes: phonemes[index] });
    else if (last && mark !== "") last.mark = mark;
  }
  return pronounced;
}

function networkLetters(symbol: string): string {
  return symbol.replace(TWO_LETTERS, (letters) => NETWORK_LETTERS[letters]);
}
