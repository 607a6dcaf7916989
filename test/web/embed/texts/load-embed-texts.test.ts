// The language of the embed page. That the languages have the same texts is a matter of types.
import t from "tap";
import { languageOf, loadEmbedTexts } from "../../../../web/embed/texts/load-embed-texts.ts";

t.test("the language is that of the address, else the browser's, else English", async (t) => {
  const of = (query: string, ...browser: string[]) =>
    languageOf(`https://avatars.example/embed/nova${query}#token=x`, browser);
  t.equal(of("?lang=de", "es", "en"), "de");
  t.equal(of("?lang=es-MX&render=auto", "de"), "es");
  t.equal(of("?lang=DE", "en"), "de");
  t.equal(of("", "fr-CH", "de-AT", "en"), "de");
  t.equal(of("?lang=", "es"), "es");
  for (const unknown of ["fr", "deutsch", "__proto__", "%3Cscript%3E"]) {
    t.equal(of(`?lang=${unknown}`, "es"), "es", unknown);
    t.equal(of(`?lang=${unknown}`, "fr"), "en", unknown);
  }
  t.equal(of(""), "en");
});

t.test("each language has its own texts", async (t) => {
  const loaded = await Promise.all((["en", "de", "es"] as const).map(loadEmbedTexts));
  t.same(
    loaded.map(({ language, buttons }) => [language, buttons.talk]),
    [
      ["en", "Talk"],
      ["de", "Sprechen"],
      ["es", "Hablar"],
    ],
  );
});
