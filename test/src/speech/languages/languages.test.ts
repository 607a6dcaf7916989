import t from "tap";
import { isBackchannel } from "../../../../src/conversation/turns/backchannels.ts";
import { fixedSentence } from "../../../../src/conversation/turns/fixed-sentences.ts";
import { gestureOfSentence } from "../../../../src/speech/languages/gesture-of-sentence.ts";
import type { Language } from "../../../../src/speech/languages/language.ts";
import {
  LANGUAGE_CODES,
  LANGUAGES,
  languageOf,
  languageOrEnglish,
  speechLanguage,
} from "../../../../src/speech/languages/languages.ts";
import { neuralLanguage } from "../../../../src/speech/voice/neural/neural-languages.ts";

t.test("each language has a greeting and fixed sentences of its own", async (t) => {
  t.equal(LANGUAGE_CODES.length, 31);
  const own = (text: (language: Language) => string) => new Set(LANGUAGE_CODES.map((code) => text(LANGUAGES[code])));
  t.equal(own((language) => language.greeting("Nova")).size, 31);
  t.equal(own(({ englishNames }) => englishNames[0]).size, 31);
  for (const kind of ["failed", "no-llm", "not-understood"] as const) {
    t.equal(own(({ fixedSentences }) => fixedSentences[kind]).size, 31, kind);
  }
  for (const code of LANGUAGE_CODES) t.match(LANGUAGES[code].greeting("Nova"), "Nova", code);
  t.equal(own((language) => language.greeting("")).size, 31, "also without a name");
  t.equal(LANGUAGES.en.greeting(""), "Hello. What can I do for you?");
});

t.test("the parts that only some languages have", async (t) => {
  const withPart = (part: keyof Language) =>
    LANGUAGE_CODES.filter((code) => (LANGUAGES[code] as Language)[part] !== undefined).join(" ");
  t.equal(withPart("backchannels"), "en es fr de it pt nl pl sv tr uk ru ja ko zh");
  t.equal(withPart("cues"), "en es fr de it pt");
  t.equal(withPart("frequentWords"), "en es fr de it pt nl pl sv da fi cs hu ro tr id vi");
  t.equal(withPart("script"), "el uk ru ar hi ja ko zh");
  t.equal(withPart("ownLetters"), "uk ja");
  t.equal(withPart("textSearch"), "en es fr de it pt nl sv da fi hu ro tr ru");
  t.equal(withPart("synthesizerName"), "en zh");
  t.equal(withPart("neural"), "en es fr it pt");
  t.equal(withPart("speech"), "en es fr de it pt");
  t.equal(withPart("regionalSpeech"), "pt");
});

t.test("a language without a part: English backchannels, no gestures, the synthesizer's own reading", async (t) => {
  t.ok(isBackchannel("okay", "fi"));
  t.notOk(isBackchannel("joo", "fi"));
  t.ok(isBackchannel("ja", "de"));
  t.notOk(isBackchannel("yeah", "de"), "a language with words of its own does not take the English ones");
  t.equal(gestureOfSentence("Hello, hei", "fi"), null);
  t.equal(gestureOfSentence("Hello", "en"), "mini_wave_hello");
  t.equal(speechLanguage("fi"), undefined);
  t.equal(neuralLanguage("fi"), undefined);
});

t.test("a language that no voice speaks is answered in English", async (t) => {
  t.equal(languageOf("xx"), undefined);
  t.equal(languageOf("toString"), undefined);
  t.equal(languageOrEnglish("xx"), LANGUAGES.en);
  t.match(fixedSentence("not-understood", "xx"), /^Sorry/);
  t.equal(languageOf(" PT-br "), LANGUAGES.pt);
});

t.test("a region has its own number words and voices only where they differ", async (t) => {
  t.equal(speechLanguage("pt-BR")?.code, "pt-br");
  for (const tag of ["pt", "pt-PT", "pt-AO"]) t.equal(speechLanguage(tag)?.code, "pt", tag);
  t.equal(speechLanguage("de-AT"), LANGUAGES.de.speech);
  t.equal(neuralLanguage("pt-AO"), LANGUAGES.pt.neural);
  for (const tag of ["pt-PT", "pt_pt"]) t.equal(neuralLanguage(tag), undefined, tag);
});
