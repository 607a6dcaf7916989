// Sentences that the avatar says when it cannot answer, in the languages of the voices.
import { primaryLanguage } from "../voice/voice-catalogue.ts";

/** `failed`: the language model did not answer. `no-mind`: there is none. `not-heard`: the words were not
 *  understood. */
export type FixedSentence = "failed" | "no-mind" | "not-heard";

const SENTENCES: Readonly<Record<string, readonly [failed: string, noMind: string, notHeard: string]>> = {
  en: [
    "Sorry, I can't answer right now. Please ask me again.",
    "I can hear you, but I have no language model to answer with.",
    "Sorry, I didn't catch that. Could you say it again?",
  ],
  es: [
    "Lo siento, ahora no puedo responder. Pregúntame otra vez, por favor.",
    "Te oigo, pero no tengo un modelo de lenguaje para responder.",
    "Perdona, no te he entendido. ¿Puedes repetirlo?",
  ],
  fr: [
    "Désolé, je ne peux pas répondre maintenant. Posez-moi la question encore une fois.",
    "Je vous entends, mais je n'ai pas de modèle de langage pour répondre.",
    "Pardon, je n'ai pas compris. Pouvez-vous répéter ?",
  ],
  de: [
    "Entschuldigung, ich kann gerade nicht antworten. Bitte fragen Sie noch einmal.",
    "Ich höre Sie, aber mir fehlt ein Sprachmodell zum Antworten.",
    "Entschuldigung, das habe ich nicht verstanden. Können Sie es wiederholen?",
  ],
  it: [
    "Mi dispiace, ora non posso rispondere. Chiedimelo di nuovo, per favore.",
    "Ti sento, ma non ho un modello linguistico per rispondere.",
    "Scusa, non ho capito. Puoi ripetere?",
  ],
  pt: [
    "Desculpe, não consigo responder agora. Pergunte outra vez, por favor.",
    "Consigo ouvir, mas não tenho um modelo de linguagem para responder.",
    "Desculpe, não entendi. Pode repetir?",
  ],
  nl: [
    "Sorry, ik kan nu geen antwoord geven. Vraag het me nog eens.",
    "Ik hoor je, maar ik heb geen taalmodel om te antwoorden.",
    "Sorry, dat heb ik niet verstaan. Kun je het herhalen?",
  ],
  pl: [
    "Przepraszam, teraz nie mogę odpowiedzieć. Proszę zapytać jeszcze raz.",
    "Słyszę cię, ale nie mam modelu językowego, żeby odpowiedzieć.",
    "Przepraszam, nie zrozumiałem tego. Proszę powtórzyć.",
  ],
  sv: [
    "Förlåt, jag kan inte svara just nu. Fråga mig igen.",
    "Jag hör dig, men jag har ingen språkmodell att svara med.",
    "Förlåt, det hörde jag inte. Kan du säga det igen?",
  ],
  da: [
    "Undskyld, jeg kan ikke svare lige nu. Spørg mig igen.",
    "Jeg kan høre dig, men jeg har ingen sprogmodel at svare med.",
    "Undskyld, det forstod jeg ikke. Kan du sige det igen?",
  ],
  fi: [
    "Anteeksi, en voi vastata juuri nyt. Kysy uudelleen.",
    "Kuulen sinut, mutta minulla ei ole kielimallia vastaamiseen.",
    "Anteeksi, en saanut selvää. Voitko toistaa?",
  ],
  cs: [
    "Promiňte, teď nemohu odpovědět. Zeptejte se prosím znovu.",
    "Slyším vás, ale nemám jazykový model, abych odpověděl.",
    "Promiňte, nerozuměl jsem. Můžete to zopakovat?",
  ],
  sk: [
    "Prepáčte, teraz nemôžem odpovedať. Spýtajte sa prosím znova.",
    "Počujem vás, ale nemám jazykový model, aby som odpovedal.",
    "Prepáčte, nerozumel som. Môžete to zopakovať?",
  ],
  sl: [
    "Oprostite, trenutno ne morem odgovoriti. Prosim, vprašajte znova.",
    "Slišim vas, vendar nimam jezikovnega modela za odgovor.",
    "Oprostite, nisem razumel. Lahko ponovite?",
  ],
  hu: [
    "Elnézést, most nem tudok válaszolni. Kérem, kérdezze meg újra.",
    "Hallom önt, de nincs nyelvi modellem a válaszhoz.",
    "Elnézést, ezt nem értettem. Megismételné?",
  ],
  ro: [
    "Îmi pare rău, acum nu pot răspunde. Întreabă-mă din nou, te rog.",
    "Te aud, dar nu am un model de limbaj ca să răspund.",
    "Scuze, nu am înțeles. Poți repeta?",
  ],
  bg: [
    "Съжалявам, сега не мога да отговоря. Попитайте ме отново.",
    "Чувам ви, но нямам езиков модел, за да отговоря.",
    "Извинете, не разбрах. Бихте ли повторили?",
  ],
  el: [
    "Συγγνώμη, δεν μπορώ να απαντήσω τώρα. Ρωτήστε με ξανά.",
    "Σας ακούω, αλλά δεν έχω γλωσσικό μοντέλο για να απαντήσω.",
    "Συγγνώμη, δεν κατάλαβα. Μπορείτε να το επαναλάβετε;",
  ],
  tr: [
    "Üzgünüm, şu anda cevap veremiyorum. Lütfen tekrar sorun.",
    "Sizi duyuyorum ama cevap verecek bir dil modelim yok.",
    "Üzgünüm, anlayamadım. Tekrar eder misiniz?",
  ],
  uk: [
    "Вибачте, зараз я не можу відповісти. Запитайте ще раз, будь ласка.",
    "Я вас чую, але не маю мовної моделі, щоб відповісти.",
    "Вибачте, я не зрозумів. Можете повторити?",
  ],
  ru: [
    "Извините, сейчас я не могу ответить. Спросите, пожалуйста, ещё раз.",
    "Я вас слышу, но у меня нет языковой модели, чтобы ответить.",
    "Извините, я не понял. Повторите, пожалуйста.",
  ],
  lv: [
    "Atvainojiet, šobrīd nevaru atbildēt. Lūdzu, jautājiet vēlreiz.",
    "Es jūs dzirdu, bet man nav valodas modeļa, ar ko atbildēt.",
    "Atvainojiet, es nesapratu. Vai varat atkārtot?",
  ],
  lt: [
    "Atsiprašau, dabar negaliu atsakyti. Paklauskite dar kartą.",
    "Girdžiu jus, bet neturiu kalbos modelio atsakyti.",
    "Atsiprašau, nesupratau. Ar galite pakartoti?",
  ],
  et: [
    "Vabandust, ma ei saa praegu vastata. Palun küsige uuesti.",
    "Ma kuulen teid, aga mul pole keelemudelit vastamiseks.",
    "Vabandust, ma ei saanud aru. Kas saate korrata?",
  ],
  ar: [
    "عذرًا، لا أستطيع الإجابة الآن. اسألني مرة أخرى من فضلك.",
    "أنا أسمعك، لكن ليس لدي نموذج لغوي للإجابة.",
    "عذرًا، لم أفهم ذلك. هل يمكنك الإعادة؟",
  ],
  hi: [
    "माफ़ कीजिए, मैं अभी जवाब नहीं दे सकता। कृपया फिर से पूछें।",
    "मैं आपको सुन सकता हूँ, लेकिन जवाब देने के लिए मेरे पास भाषा मॉडल नहीं है।",
    "माफ़ कीजिए, मैं समझ नहीं पाया। क्या आप दोहरा सकते हैं?",
  ],
  id: [
    "Maaf, saya tidak bisa menjawab sekarang. Silakan tanya lagi.",
    "Saya mendengar Anda, tetapi saya tidak punya model bahasa untuk menjawab.",
    "Maaf, saya tidak menangkapnya. Bisa diulangi?",
  ],
  vi: [
    "Xin lỗi, bây giờ tôi không thể trả lời. Vui lòng hỏi lại.",
    "Tôi nghe thấy bạn, nhưng tôi không có mô hình ngôn ngữ để trả lời.",
    "Xin lỗi, tôi chưa nghe rõ. Bạn nói lại được không?",
  ],
  ja: [
    "すみません、今はお答えできません。もう一度聞いてください。",
    "聞こえていますが、お答えするための言語モデルがありません。",
    "すみません、聞き取れませんでした。もう一度お願いします。",
  ],
  ko: [
    "죄송합니다. 지금은 대답할 수 없습니다. 다시 물어봐 주세요.",
    "들리지만 대답할 언어 모델이 없습니다.",
    "죄송합니다. 알아듣지 못했습니다. 다시 말씀해 주세요.",
  ],
  zh: [
    "抱歉，我现在无法回答。请再问一次。",
    "我能听到您说话，但我没有可以用来回答的语言模型。",
    "抱歉，我没听清楚。请再说一遍。",
  ],
};

const PLACES: Readonly<Record<FixedSentence, number>> = { failed: 0, "no-mind": 1, "not-heard": 2 };

/** The sentence in a language (a BCP 47 tag); in English if it is missing. */
export function fixedSentence(kind: FixedSentence, language: string): string {
  const sentences = SENTENCES[primaryLanguage(language)] ?? SENTENCES.en;
  return sentences[PLACES[kind]];
}
