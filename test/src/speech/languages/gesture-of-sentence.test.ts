import t from "tap";
import { gestureOfSentence } from "../../../../src/speech/languages/gesture-of-sentence.ts";

t.test("a sentence has the gesture of its first words, in its language", async (t) => {
  const cues: [string, string, string | null][] = [
    ["Hello, and welcome!", "en", "mini_wave_hello"],
    ["Hi there.", "en-GB", "mini_wave_hello"],
    ["Hiking is fun.", "en", null],
    ["Yes, that works.", "en", "nod"],
    ["That’s funny!", "en", "laugh_react"],
    ["No, thank you.", "en", "shake"],
    ["Nothing is lost.", "en", null],
    ["I said yes.", "en", null],
    ["¡Sí, claro!", "es", "nod"],
    ["Tschüss!", "de", "mini_wave_hello"],
    ["D’accord.", "fr", "nod"],
    ["Não.", "pt", "shake"],
    ["Buongiorno a tutti", "it", "mini_wave_hello"],
    ["Hello.", "ja", null],
    ["", "en", null],
    [`${"<b>".repeat(1_000)} yes`, "en", null],
  ];
  for (const [sentence, language, gesture] of cues) t.equal(gestureOfSentence(sentence, language), gesture, sentence);
});
