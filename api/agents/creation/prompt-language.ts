// Detects the language that a prompt is written in, or that the prompt names as the agent's.
import { LANGUAGES } from "../../../src/voice/voice-catalogue.ts";

/** Scripts and their language. For a script of several languages, the most common one. */
const SCRIPTS: readonly [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Greek}/gu, "el"],
  [/\p{Script=Devanagari}/gu, "hi"],
  [/\p{Script=Arabic}/gu, "ar"],
  [/[іїєґ]/giu, "uk"],
  [/\p{Script=Cyrillic}/gu, "ru"],
];
/** Share of a text's letters from which on the text counts as written in a script. */
const SCRIPT_SHARE = 0.3;
/** As `SCRIPT_SHARE`, for kana and Ukrainian letters: a few of them identify the language. */
const TELLTALE_SHARE = 0.03;
const TELLTALE: ReadonlySet<string> = new Set(["ja", "uk"]);

/** Short words that are frequent in one language and rare in the others. */
const FREQUENT: Readonly<Record<string, string>> = {
  en: "the and you are is of to with who that your for in a an",
  de: "der die das und du bist ist ein eine mit sie ich nicht wie für auf den dich",
  fr: "le les une est vous tu es et des avec qui pour dans je sur du un",
  es: "el los una eres es y con que para por en tus del las un usted",
  it: "il gli una sei è e con che per di della sono un lo",
  pt: "o os uma você é e com que para em do da não um seu",
  nl: "de het een je bent is en met van die voor niet op",
  pl: "jesteś jest i w z na się do nie że który jako",
  sv: "du är och en ett med som för på inte att",
  da: "du er og en et med som for på ikke til",
  fi: "olet on ja joka kanssa ei se että sinä",
  cs: "jsi je a s na se že pro který jako",
  ro: "ești este și cu care pentru o un nu de",
  hu: "te vagy és egy aki nem hogy az",
  tr: "sen bir ve için olan ile bu değil",
  vi: "bạn là và một với cho của không",
  id: "kamu adalah dan yang untuk dengan seorang anda",
};
const WORDS = new Map(Object.entries(FREQUENT).map(([code, words]) => [code, new Set(words.split(" "))]));

/** Languages as English prompts name them. */
const ENGLISH_NAMES: Readonly<Record<string, string>> = {
  english: "en",
  spanish: "es",
  french: "fr",
  german: "de",
  italian: "it",
  portuguese: "pt",
  dutch: "nl",
  polish: "pl",
  swedish: "sv",
  danish: "da",
  finnish: "fi",
  czech: "cs",
  slovak: "sk",
  slovenian: "sl",
  hungarian: "hu",
  romanian: "ro",
  bulgarian: "bg",
  greek: "el",
  turkish: "tr",
  ukrainian: "uk",
  russian: "ru",
  latvian: "lv",
  lithuanian: "lt",
  estonian: "et",
  arabic: "ar",
  hindi: "hi",
  vietnamese: "vi",
  japanese: "ja",
  indonesian: "id",
  korean: "ko",
  chinese: "zh",
  mandarin: "zh",
};
const ASKED = new RegExp(
  `\\b(?:speaks?|speaking|answers?|repl(?:y|ies)|responds?|talks?)\\s+(?:only\\s+|always\\s+)?(?:in\\s+)?(${Object.keys(ENGLISH_NAMES).join("|")})\\b`,
  "i",
);

/** ISO 639-1 code of one of the voices' languages; English if the language is unclear. Never throws. */
export function languageOf(prompt: string): string {
  const asked = ASKED.exec(prompt)?.[1];
  if (asked) return ENGLISH_NAMES[asked.toLowerCase()];
  const letters = prompt.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return "en";
  for (const [pattern, code] of SCRIPTS) {
    const share = (prompt.match(pattern)?.length ?? 0) / letters;
    if (share >= (TELLTALE.has(code) ? TELLTALE_SHARE : SCRIPT_SHARE)) return code;
  }
  return byFrequentWords(prompt.toLowerCase().match(/\p{L}+/gu) ?? []);
}

/** True for a language that a voice can speak. */
export function isSpokenLanguage(code: string): boolean {
  return LANGUAGES.includes(code);
}

function byFrequentWords(words: readonly string[]): string {
  let best = { code: "en", count: 0 };
  for (const [code, frequent] of WORDS) {
    const count = words.filter((word) => frequent.has(word)).length;
    if (count > best.count) best = { code, count };
  }
  // A single match may be a name or a quotation.
  return best.count >= 2 ? best.code : "en";
}
