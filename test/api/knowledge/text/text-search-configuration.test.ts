import t from "tap";
import { textSearchConfiguration } from "../../../../api/knowledge/text/text-search-configuration.ts";

t.test("words are stemmed in a document's language, and not at all in one that PostgreSQL does not stem", async (t) => {
  const cases: [string, string][] = [
    ["english", "The museum opens at nine. Visitors that have a ticket are welcome, and children pay nothing."],
    ["german", "Das Museum öffnet um neun. Die Besucher zahlen an der Kasse, und Kinder sind mit den Eltern frei."],
    ["french", "Le musée ouvre à neuf heures. Les visiteurs paient dans le hall, et les enfants sont gratuits."],
    ["spanish", "El museo abre a las nueve. Los visitantes pagan en la entrada, pero los niños no pagan por nada."],
    ["italian", "Il museo apre alle nove. I visitatori che non hanno un biglietto pagano alla cassa della sala."],
    ["portuguese", "O museu abre às nove. Os visitantes não pagam mais do que as crianças, e você pode voltar."],
    ["dutch", "Het museum gaat om negen uur open. De bezoekers betalen aan de kassa, maar kinderen zijn gratis."],
    ["swedish", "Museet öppnar klockan nio. Besökare som inte har en biljett betalar i kassan, och det är för alla."],
    ["danish", "Museet åbner klokken ni. Gæster, der ikke har en billet, skal betale, og det er også for børn."],
    [
      "norwegian",
      "Museet åpner klokken ni. Gjester som ikke har billett skal betale, og det blir også for barn av byen.",
    ],
    [
      "finnish",
      "Museo avautuu yhdeksältä. Kassa on auki, ja se on kaikille, mutta lapset ovat ilman lippua, että he voivat.",
    ],
    ["russian", "Музей открывается в девять. Посетители платят в кассе, а дети и студенты не платят."],
    ["turkish", "Müze dokuzda açılır. Ziyaretçiler için bir gişe ve çocuklar için bu kapı vardır, ama çok geç değil."],
    ["romanian", "Muzeul se deschide la nouă. Vizitatorii care nu au bilet plătesc la casă, dar este pentru toți."],
    ["hungarian", "A múzeum kilenckor nyit. Az, aki nem vett jegyet, a pénztárnál fizet, és ez már nem drága."],
    ["simple", "Muzeum otwiera się o dziewiątej. Kto nie ma biletu, płaci w kasie, a dzieci są z rodzicami."],
    ["simple", "美術館は九時に開きます。切符のない方は窓口でお支払いください。"],
    ["simple", "Музей відкривається о дев'ятій. Відвідувачі платять у касі, а діти її не бачать."],
    ["simple", "4711 0815 ACME"],
    ["simple", ""],
  ];
  for (const [configuration, text] of cases) t.equal(textSearchConfiguration(text), configuration, text);
});

t.test("a few words of another script do not decide", async (t) => {
  const text = "The avatar greets with こんにちは and this is the word that you have heard. ".repeat(3);
  t.equal(textSearchConfiguration(text), "english");
});
