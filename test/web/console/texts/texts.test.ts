// The catalogue and the languages.
import t from "tap";
import { de } from "../../../../web/console/texts/de/index.ts";
import { en } from "../../../../web/console/texts/en/index.ts";
import { es } from "../../../../web/console/texts/es/index.ts";
import { createFormats } from "../../../../web/console/texts/formats.ts";
import { chooseLanguage, keepLanguage } from "../../../../web/console/texts/languages.ts";
import { pluralIn } from "../../../../web/console/texts/plural.ts";

/** Texts of at least this length that are the same in two languages were forgotten. Names of fields are shorter. */
const FORGOTTEN_CHARACTERS = 20;

t.test("each language has each text, and none was left in English", async (t) => {
  const english = flatten(en);
  for (const [language, texts] of Object.entries({ de, es })) {
    const entries = flatten(texts);
    t.same([...entries.keys()], [...english.keys()], language);
    for (const [key, text] of entries) {
      t.not(text, "", `${language} ${key}`);
      const isSame = text === english.get(key) && text.length >= FORGOTTEN_CHARACTERS && /\p{L}{4}/u.test(text);
      t.notOk(isSame, `${language} ${key}: ${text}`);
    }
  }
});

t.test("the language is the chosen one, else the browser's, else English", async (t) => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  t.equal(
    chooseLanguage(["fr-CH", "de-AT", "en"], () => storage),
    "de",
  );
  t.equal(
    chooseLanguage(["fr"], () => storage),
    "en",
  );
  keepLanguage("es", () => storage);
  t.equal(
    chooseLanguage(["de"], () => storage),
    "es",
  );
  const deny = () => {
    throw new Error("denied");
  };
  keepLanguage("de", deny);
  t.equal(chooseLanguage(["de"], deny), "de", "where storage is denied, the browser's counts");
});

t.test("numbers, lengths of time and ages are written as the language does", async (t) => {
  const formats = createFormats("de");
  t.equal(formats.number(1234.5), "1.234,5");
  t.equal(formats.bytes(0), "0 Byte");
  t.equal(formats.bytes(1_500_000), "1,5 MB");
  t.equal(formats.duration(65), "1:05");
  t.equal(formats.duration(3_725), "1:02:05");
  t.equal(formats.duration(-1), "0:00");
  t.equal(formats.latency(142), "142 ms");
  t.equal(formats.latency(1_500), "1,5 Sek.");
  t.equal(formats.age(new Date(0), 300_000), "vor 5 Minuten");
  t.equal(formats.age(new Date(5_000), 0), "jetzt", "another clock is not the future");
  t.equal(pluralIn("es")(1, "sesión", "sesiones"), "1 sesión");
  t.equal(pluralIn("en")(1_200, "session", "sessions"), "1,200 sessions");
});

/** What a function says, without what it is given. */
function wordsOf(source: string): string {
  const literals = source.match(/(["'`])(?:\\.|(?!\1).)*\1/gs) ?? [];
  return literals.map((literal) => literal.replace(/\$\{[^}]*\}/g, "")).join(" ");
}

/** Texts by their path; functions stand for their words. */
function flatten(texts: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(texts)) {
    const key = `${path}${name}`;
    if (typeof value === "string") found.set(key, value);
    else if (typeof value === "function") found.set(key, wordsOf(String(value)) || "words of others");
    else for (const [inner, text] of flatten(value, `${key}.`)) found.set(inner, text);
  }
  return found;
}
