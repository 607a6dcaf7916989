// Texts of the voices.
import type { Texts } from "../en/index.ts";
import { pluralIn } from "../plural.ts";

const plural = pluralIn("de");

export const voices: Texts["voices"] = {
  title: "Stimmen",
  lead: "Hören Sie jede Stimme: mit ihrem eigenen Satz oder mit Ihren Worten. Markieren Sie einige, um sie nacheinander zu hören.",
  words: "Ihre Worte",
  wordsNote: "Ist dieses Feld leer, sagt jede Stimme einen eigenen Satz auf Englisch.",
  wordsLanguage: "Sprache Ihrer Worte",
  speaks: "Spricht",
  anyLanguage: "jede Sprache",
  sounds: "Klingt wie",
  genders: { any: "beliebig", female: "eine Frau", male: "ein Mann" },
  kinds: {
    builtin: "Stimme dieses Dienstes",
    custom: "Für einen Agent gestaltet",
    fetched: "Vom Betreiber geladen",
  },
  languages: (count) => plural(count, "Sprache", "Sprachen"),
  shown: (count) => (count === 0 ? "Keine Stimme ist so." : plural(count, "Stimme", "Stimmen")),
  hear: "Anhören",
  hearVoice: (name) => `${name} anhören`,
  stop: "Anhalten",
  stopVoice: (name) => `${name} anhalten`,
  speaking: (name) => `${name} spricht.`,
  compare: "Vergleichen",
  compareVoice: (name) => `${name} vergleichen`,
  hearMarked: (count) => `Die ${count} markierten nacheinander anhören`,
  copyId: "Id kopieren",
  usedBy: "Genutzt von",
  more: (count) => `und ${count} weiteren`,
  download: (name) => `Herunterladen, was ${name} gesagt hat`,
  design: "Stimme gestalten",
  designNote:
    "Beginnt mit einer Stimme dieses Dienstes. Danach steht ihr Code für sie: als Stimme eines Agents oder in Aufrufen.",
  base: "Beginnt mit",
  axes: {
    gender: "Tiefer – höher, samt Kehle",
    pitch: "Niedriger – höher",
    rate: "Langsamer – schneller",
    brightness: "Dumpfer – heller",
  },
  reset: "Wie zuvor",
  hearDesigned: "Anhören",
  designed: "Gestaltete Stimme",
  code: "Ihr Code",
  copyCode: "Code kopieren",
};
