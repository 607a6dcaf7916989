// Words with which a listener shows that it listens. Said while the avatar speaks, they are no turn.
import { primaryLanguage } from "../voice/voice-catalogue.ts";

/** Of every language: hesitations and hums, as the recogniser writes them. */
const HUMS = "mhm|mm|mmm|hm|hmm|hmmm|mm hmm|mmhmm|mmhm|uh|uh huh|uhhuh|um|umm|eh|ah|aha|ahh|oh|ooh|huh|hum|er|erm|m";

/** Words of a language. Case, accents and marks do not count. */
const WORDS: Readonly<Record<string, string>> = {
  en: "yeah|yep|yes|ok|okay|right|sure|i see|got it|alright|all right|exactly|true|cool|wow|really|great|nice|good",
  es: "si|vale|ok|okay|ya|claro|aja|bueno|entiendo|exacto|de acuerdo|bien",
  fr: "oui|ouais|ok|okay|d accord|daccord|ah oui|ah bon|exact|bien sur|je vois|bien",
  it: "si|ok|okay|certo|capito|giusto|esatto|va bene|ah si|bene",
  pt: "sim|ok|okay|ta|ta bom|certo|entendi|pois|pois e|claro|exato|bem",
  de: "ja|jo|ok|okay|genau|klar|stimmt|ach so|achso|verstehe|gut|aha|richtig|na klar",
  nl: "ja|ok|oke|okay|precies|klopt|goed|juist|snap ik",
  pl: "tak|no|ok|okay|jasne|dobrze|rozumiem|aha|dobra",
  sv: "ja|ok|okej|precis|just det|visst|bra",
  tr: "evet|tamam|peki|anladim|hi hi",
  ru: "да|ага|угу|ок|окей|хорошо|ясно|понятно|верно",
  uk: "так|ага|угу|ок|окей|добре|ясно|зрозуміло",
  ja: "はい|うん|ええ|そう|なるほど|そうですか|そうですね",
  ko: "네|예|응|그래|그렇군요|아",
  zh: "嗯|对|是|好|好的|哦|啊|明白|对对",
};

const tables = new Map<string, ReadonlySet<string>>();

/** Whether a text holds nothing but such words, or no word at all. `language`: a BCP 47 tag. */
export function isBackchannel(text: string, language: string): boolean {
  const words = plain(text);
  if (words === "") return true;
  const table = tableOf(primaryLanguage(language));
  // "Yeah, yeah." and "Mm, okay." are made of such words, too.
  return table.has(words) || words.split(" ").every((word) => table.has(word));
}

function tableOf(language: string): ReadonlySet<string> {
  let table = tables.get(language);
  if (!table) {
    table = new Set([...HUMS.split("|"), ...(WORDS[language] ?? WORDS.en).split("|")]);
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
