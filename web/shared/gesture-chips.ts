// Gestures that a visitor can ask for: buttons with the names of what is seen.
import type { GestureName } from "../../shared/gesture-names.ts";

const CHIPS: readonly { gesture: GestureName; label: string }[] = [
  { gesture: "mini_wave_hello", label: "Hello" },
  { gesture: "nod", label: "Nod" },
  { gesture: "shake", label: "No" },
  { gesture: "wink", label: "Wink" },
  { gesture: "laugh", label: "Laugh" },
  { gesture: "surprise", label: "Surprise" },
  { gesture: "blow_kiss_heart", label: "Kiss" },
];

/** Fills `container` with a button for each gesture. A button is busy until `onGesture` has resolved. `labels`: in
 *  another language. Default: English. */
export function showGestureChips(
  container: HTMLElement,
  onGesture: (gesture: GestureName) => Promise<void> | void,
  labels: Readonly<Partial<Record<GestureName, string>>> = {},
): void {
  container.replaceChildren(
    ...CHIPS.map(({ gesture, label }) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.textContent = labels[gesture] ?? label;
      chip.addEventListener("click", async () => {
        chip.setAttribute("aria-busy", "true");
        await onGesture(gesture);
        chip.setAttribute("aria-busy", "false");
      });
      return chip;
    }),
  );
}
