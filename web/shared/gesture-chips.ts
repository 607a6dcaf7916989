// Gestures that a visitor can ask for: buttons with the names of what is seen.
import type { GestureName } from "../../shared/gesture-names.ts";

const CHIPS = [
  "mini_wave_hello",
  "nod",
  "shake",
  "wink",
  "laugh",
  "surprise",
  "blow_kiss_heart",
] as const satisfies readonly GestureName[];

/** Fills `container` with a button for each gesture. A button is busy until `onGesture` has resolved. */
export function showGestureChips(
  container: HTMLElement,
  onGesture: (gesture: GestureName) => Promise<void> | void,
  labels: Readonly<Record<(typeof CHIPS)[number], string>>,
): void {
  container.replaceChildren(
    ...CHIPS.map((gesture) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.textContent = labels[gesture];
      chip.addEventListener("click", async () => {
        chip.setAttribute("aria-busy", "true");
        await onGesture(gesture);
        chip.setAttribute("aria-busy", "false");
      });
      return chip;
    }),
  );
}
