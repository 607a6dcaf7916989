import t from "tap";
import { GESTURE_NAMES } from "../../../src/gestures/gesture-names.ts";
import { nearestGesture } from "../../../src/gestures/nearest-gesture.ts";
import { gestureOfSentence } from "../../../src/languages/gesture-of-sentence.ts";

t.test("a name is found as it is, and words lead to the nearest gesture or to none", async (t) => {
  for (const name of GESTURE_NAMES) t.equal(nearestGesture(name), name);
  const nearest: [string, string][] = [
    ["Laugh-React", "laugh_react"],
    ["mini wave hello", "mini_wave_hello"],
    ["laugh_react_v2", "laugh_react"],
    ["wave_hand", "mini_wave_hello"],
    ["Please laugh at my joke", "laugh"],
    ["blows a kiss to the camera", "blow_kiss_heart"],
    ["thumbs up", "thumbs_up_pulse"],
    ["APPLAUSE!", "clap_cheer"],
    ["a person jumping for joy", "celebration_jump"],
    ["say no", "shake"],
    ["¡Guiña!", "wink"],
  ];
  for (const [text, name] of nearest) t.equal(nearestGesture(text), name, text);
  for (const text of ["", "fly", "note", "🐋", "x".repeat(100_000), "constructor", "__proto__"]) {
    t.equal(nearestGesture(text), null, text.slice(0, 20));
  }
});

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
