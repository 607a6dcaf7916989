import t from "tap";
import { GESTURE_NAMES } from "../../../../shared/gesture-names.ts";
import { nearestGesture } from "../../../../src/face/gestures/nearest-gesture.ts";

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
