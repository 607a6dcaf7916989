// Guesses the language of a text by its stop words, so that PostgreSQL can stem its words.

/** Stop words that are frequent in one language and rare in the others, by the name of PostgreSQL's configuration. */
const SMALL_WORDS: Readonly<Record<string, string>> = {
  english: "the and of to is that for with are this you was not from have they which will",
  german: "der die das und ist nicht ein eine mit den von zu auf für sich dem auch werden sind",
  french: "les des est une dans pour que qui pas sur avec vous nous sont aux cette ses plus",
  spanish: "los las una del por con para que está como más pero sus este muy también son",
  italian: "gli della che per non una sono con dei nel alla questo anche più delle essere",
  portuguese: "não uma para com dos das por mais como você são seu sua pelo também foi",
  dutch: "het een van niet zijn dat voor met aan deze worden ook maar naar bij wordt",
  swedish: "och att det som för inte med den till har ett från eller kan ska ditt",
  danish: "og det ikke til der med for har som den kan fra eller skal også blive",
  norwegian: "og ikke det som til har med den kan fra eller skal også være blir ditt",
  finnish: "ja on ei että se oli hän joka mutta myös kun ovat voi tai sen kanssa",
  russian: "и в не на что с по это как для из к от вы мы но все",
  turkish: "ve bir bu için ile da de çok olarak daha gibi kadar ancak veya her",
  romanian: "și este nu care pentru din sunt mai într dar sau fi această lui",
  hungarian: "és az egy hogy nem is meg vagy ez volt azt csak már még",
};
const SETS = Object.entries(SMALL_WORDS).map(([language, words]) => [language, new Set(words.split(" "))] as const);
const SAMPLE_CHARACTERS = 20_000;
/** Least share of stop words for a guess to count. */
const LEAST_SHARE = 0.04;

/** The name of a configuration; `simple`, which does not stem, if no language is detected. */
export function textLanguage(text: string): string {
  const words =
    text
      .slice(0, SAMPLE_CHARACTERS)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  let best = { language: "simple", count: words.length * LEAST_SHARE };
  for (const [language, set] of SETS) {
    const count = words.filter((word) => set.has(word)).length;
    if (count > best.count) best = { language, count };
  }
  return best.language;
}
