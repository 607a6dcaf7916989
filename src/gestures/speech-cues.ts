// Gestures that belong to what an avatar says: a sentence that greets, laughs or agrees comes with one. A table of
// words for each language: a sentence without any of them has no gesture.
import type { GestureName } from "./gesture-names.ts";

/** A gesture, and the words with which a sentence begins that it belongs to. A word may be a few words. */
type Cue = readonly [gesture: GestureName, words: string];

/** Words are without accents and apostrophes. The first cue that matches counts. */
const CUES: Readonly<Record<string, readonly Cue[]>> = {
  en: [
    ["laugh_react", "haha|hahaha|ha ha|hehe|lol|thats funny|that is funny|how funny|very funny"],
    ["mini_wave_hello", "hello|hi|hey|welcome|good morning|good afternoon|good evening|goodbye|bye|see you"],
    ["celebration_jump", "congratulations|congrats|hooray|hurray|we did it|you did it"],
    ["surprise", "wow|oh really|no way|really|incredible|oh my"],
    ["shake", "no|nope|unfortunately|im afraid|i am afraid|im sorry|i am sorry|sadly"],
    ["thinking", "hmm|hm|let me think|let me see|i wonder|good question|thats a good question"],
    ["nod", "yes|yeah|yep|of course|sure|exactly|absolutely|right|i agree|certainly|definitely|indeed"],
    ["thumbs_up_pulse", "great|perfect|excellent|well done|good job|awesome|fantastic|wonderful"],
    ["heart_hands", "thank you|thanks|i love|youre welcome|you are welcome|my pleasure"],
  ],
  es: [
    ["laugh_react", "jaja|jajaja|ja ja|que gracioso|que divertido"],
    ["mini_wave_hello", "hola|bienvenido|bienvenida|buenos dias|buenas tardes|buenas noches|adios|hasta luego"],
    ["celebration_jump", "felicidades|enhorabuena|lo logramos"],
    ["surprise", "vaya|en serio|de verdad|increible"],
    ["shake", "no|lamentablemente|por desgracia|lo siento"],
    ["thinking", "mmm|hmm|dejame pensar|a ver|me pregunto|buena pregunta"],
    ["nod", "si|claro|por supuesto|exacto|exactamente|desde luego|de acuerdo"],
    ["thumbs_up_pulse", "genial|perfecto|excelente|muy bien|estupendo"],
    ["heart_hands", "gracias|muchas gracias|de nada|me encanta"],
  ],
  de: [
    ["laugh_react", "haha|hahaha|hihi|wie lustig|das ist lustig"],
    ["mini_wave_hello", "hallo|hi|willkommen|guten morgen|guten tag|guten abend|tschuss|auf wiedersehen|servus"],
    ["celebration_jump", "gluckwunsch|herzlichen gluckwunsch|hurra|geschafft"],
    ["surprise", "wow|wirklich|ach was|unglaublich|im ernst"],
    ["shake", "nein|leider|tut mir leid|es tut mir leid"],
    ["thinking", "hmm|hm|mal sehen|lass mich nachdenken|lassen sie mich nachdenken|gute frage"],
    ["nod", "ja|genau|naturlich|sicher|klar|stimmt|selbstverstandlich|auf jeden fall"],
    ["thumbs_up_pulse", "super|perfekt|ausgezeichnet|gut gemacht|sehr gut|toll|wunderbar"],
    ["heart_hands", "danke|vielen dank|gern geschehen|bitte sehr|ich liebe"],
  ],
  fr: [
    ["laugh_react", "haha|hahaha|hihi|cest drole|tres drole"],
    ["mini_wave_hello", "bonjour|bonsoir|salut|bienvenue|au revoir|a bientot"],
    ["celebration_jump", "felicitations|hourra|bravo"],
    ["surprise", "oh la la|vraiment|ca alors|incroyable"],
    ["shake", "non|malheureusement|desole|desolee|je suis desole|je suis desolee"],
    ["thinking", "hmm|voyons|laissez moi reflechir|laisse moi reflechir|bonne question"],
    ["nod", "oui|exactement|bien sur|daccord|tout a fait|absolument"],
    ["thumbs_up_pulse", "parfait|excellent|genial|super|tres bien"],
    ["heart_hands", "merci|merci beaucoup|de rien|avec plaisir|jadore"],
  ],
  it: [
    ["laugh_react", "ahah|ahaha|haha|che divertente|che ridere"],
    ["mini_wave_hello", "ciao|salve|benvenuto|benvenuta|buongiorno|buonasera|arrivederci"],
    ["celebration_jump", "congratulazioni|complimenti|evviva"],
    ["surprise", "wow|davvero|incredibile|sul serio"],
    ["shake", "no|purtroppo|mi dispiace"],
    ["thinking", "mmm|hmm|vediamo|fammi pensare|mi faccia pensare|bella domanda|buona domanda"],
    ["nod", "si|certo|esatto|esattamente|naturalmente|daccordo|assolutamente"],
    ["thumbs_up_pulse", "perfetto|ottimo|eccellente|bravo|brava|fantastico"],
    ["heart_hands", "grazie|grazie mille|prego|adoro"],
  ],
  pt: [
    ["laugh_react", "haha|hahaha|kkk|rsrs|que engracado"],
    ["mini_wave_hello", "ola|oi|bem vindo|bem vinda|bom dia|boa tarde|boa noite|tchau|ate logo"],
    ["celebration_jump", "parabens|conseguimos|viva"],
    ["surprise", "uau|serio|nossa|incrivel|de verdade"],
    ["shake", "nao|infelizmente|sinto muito|desculpe|lamento"],
    ["thinking", "hmm|deixe me pensar|deixa eu pensar|vejamos|boa pergunta"],
    ["nod", "sim|claro|com certeza|exato|exatamente|concordo|certamente"],
    ["thumbs_up_pulse", "otimo|perfeito|excelente|muito bem|fantastico"],
    ["heart_hands", "obrigado|obrigada|de nada|adoro|com prazer"],
  ],
};
/** Most words of a cue. */
const MAX_WORDS = 5;

/** The gesture of a sentence; null if it has none. `language`: as `en` or `en-GB`; one without a table has no cues.
 *  Linear in the start of the sentence. Never throws. */
export function gestureOfSentence(sentence: string, language: string): GestureName | null {
  const cues = CUES[language.slice(0, 2).toLowerCase()] ?? [];
  const start = ` ${firstWords(sentence).join(" ")} `;
  return cues.find(([, words]) => words.split("|").some((word) => start.startsWith(` ${word} `)))?.[0] ?? null;
}

function firstWords(sentence: string): string[] {
  const plain = sentence
    .slice(0, 200)
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\p{M}'’]/gu, "");
  return (plain.match(/\p{L}+/gu) ?? []).slice(0, MAX_WORDS);
}
