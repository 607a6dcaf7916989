// What an agent says first in a conversation.
import { primaryLanguage } from "../../src/voice/voice-catalogue.ts";
import type { AgentContent } from "./agent.ts";

/** A greeting in each language of the voices, before and after the agent's name. */
const SENTENCES: Readonly<Record<string, readonly [string, string]>> = {
  en: ["Hello, I'm ", ". What can I do for you?"],
  es: ["Hola, soy ", ". ¿En qué puedo ayudarte?"],
  fr: ["Bonjour, je suis ", ". Que puis-je faire pour vous ?"],
  de: ["Hallo, ich bin ", ". Was kann ich für dich tun?"],
  it: ["Ciao, sono ", ". Come posso aiutarti?"],
  pt: ["Olá, eu sou ", ". Como posso ajudar?"],
  nl: ["Hallo, ik ben ", ". Wat kan ik voor je doen?"],
  pl: ["Cześć, jestem ", ". W czym mogę pomóc?"],
  sv: ["Hej, jag heter ", ". Vad kan jag hjälpa till med?"],
  da: ["Hej, jeg hedder ", ". Hvad kan jeg hjælpe med?"],
  fi: ["Hei, olen ", ". Miten voin auttaa?"],
  cs: ["Dobrý den, jsem ", ". S čím mohu pomoci?"],
  sk: ["Dobrý deň, som ", ". S čím môžem pomôcť?"],
  sl: ["Pozdravljeni, jaz sem ", ". Kako lahko pomagam?"],
  hu: ["Szia, ", " vagyok. Miben segíthetek?"],
  ro: ["Bună, eu sunt ", ". Cu ce pot ajuta?"],
  bg: ["Здравейте, аз съм ", ". С какво мога да помогна?"],
  el: ["Γεια σας, είμαι ", ". Πώς μπορώ να βοηθήσω;"],
  tr: ["Merhaba, ben ", ". Size nasıl yardımcı olabilirim?"],
  uk: ["Вітаю, я ", ". Чим можу допомогти?"],
  ru: ["Здравствуйте, я ", ". Чем могу помочь?"],
  lv: ["Sveiki, es esmu ", ". Kā varu palīdzēt?"],
  lt: ["Sveiki, aš esu ", ". Kuo galiu padėti?"],
  et: ["Tere, mina olen ", ". Kuidas saan aidata?"],
  ar: ["مرحبًا، أنا ", ". كيف يمكنني مساعدتك؟"],
  hi: ["नमस्ते, मैं ", " हूँ। मैं आपकी क्या मदद करूँ?"],
  id: ["Halo, saya ", ". Apa yang bisa saya bantu?"],
  vi: ["Xin chào, tôi là ", ". Tôi có thể giúp gì cho bạn?"],
  ja: ["こんにちは、", "です。何かお手伝いできますか？"],
  ko: ["안녕하세요, 저는 ", "입니다. 무엇을 도와드릴까요?"],
  zh: ["你好，我是", "。有什么可以帮你的吗？"],
};

/** The greeting that was written for an agent. Without one: a sentence with its name in its language, or in English if
 *  there is none in that language. */
export function greetingOf({ name, language, greeting }: Pick<AgentContent, "name" | "language" | "greeting">): string {
  if (greeting !== "") return greeting;
  const [before, after] = SENTENCES[primaryLanguage(language)] ?? SENTENCES.en;
  return `${before}${name.trim()}${after}`;
}
