// Detects the language of a text, so that PostgreSQL can stem its words.
import { detectLanguage } from "../../../src/speech/languages/detect-language.ts";
import { wordSet } from "../../../src/speech/languages/language.ts";
import { LANGUAGES } from "../../../src/speech/languages/languages.ts";

/** Those of the voices, and one that PostgreSQL stems and no voice speaks. */
const TEXT_LANGUAGES = {
  ...LANGUAGES,
  no: {
    frequentWords: wordSet(
      "og du er en et på i å jeg av ikke det som til har med den kan fra eller skal også være blir ditt",
    ),
    textSearch: "norwegian",
  },
};
const SAMPLE_CHARACTERS = 20_000;

/** The name of a PostgreSQL text search configuration; `simple`, which does not stem, if no language is detected or
 *  PostgreSQL has none for it. */
export function textSearchConfiguration(text: string): string {
  const language = detectLanguage(text.slice(0, SAMPLE_CHARACTERS), TEXT_LANGUAGES);
  return (language && TEXT_LANGUAGES[language].textSearch) ?? "simple";
}
