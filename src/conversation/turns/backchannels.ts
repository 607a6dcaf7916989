// Words with which a listener shows that it listens. Said while the avatar speaks, they are no turn.
import { LANGUAGES, languageOrEnglish, primaryLanguage } from "../../speech/languages/languages.ts";

/** Of every language: hesitations and hums, as the recogniser writes them. */
const HUMS = "mhm|mm|mmm|hm|hmm|hmmm|mm hmm|mmhmm|mmhm|uh|uh huh|uhhuh|um|umm|eh|ah|aha|ahh|oh|ooh|huh|hum|er|erm|m";

const tables = new Map<string, ReadonlySet<string>>();

/** Whether a text holds nothing but these words, or no word at all. `language`: a BCP 47 tag. */
export function isBackchannel(text: string, language: string): boolean {
  const words = plain(text);
  if (words === "") return true;
  const table = tableOf(primaryLanguage(language));
  // "Yeah, yeah." and "Mm, okay." are made of these words, too.
  return table.has(words) || words.split(" ").every((word) => table.has(word));
}

function tableOf(language: string): ReadonlySet<string> {
  let table = tables.get(language);
  if (!table) {
    const words = languageOrEnglish(language).backchannels ?? LANGUAGES.en.backchannels ?? "";
    table = new Set([...HUMS.split("|"), ...words.split("|")]);
    tables.set(language, table);
  }
  return table;
}

/** Lower case, without accents of Latin letters and without marks, one space between words. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
