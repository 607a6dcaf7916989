// Expressions that a visitor can set: buttons of which at most one is pressed. Pressed again, it is taken back.
import { EXPRESSION_NAMES, type ExpressionName } from "../../shared/expressions.ts";

export interface MoodTexts extends Readonly<Record<ExpressionName, string>> {
  /** Of all buttons together, for those who do not see them. */
  group: string;
}

/** Fills `container` with a button for each expression. `onMood` sets one, or takes it back (null); a button is busy
 *  until it has resolved, and what resolves to false is not shown as set. Returns what shows a mood that was set
 *  otherwise. */
export function showMoodChips(
  container: HTMLElement,
  onMood: (emotion: ExpressionName | null) => Promise<boolean> | boolean,
  texts: MoodTexts,
): (emotion: ExpressionName | null) => void {
  let current: ExpressionName | null = null;
  const chips = EXPRESSION_NAMES.map((emotion) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.textContent = texts[emotion];
    chip.addEventListener("click", async () => {
      const before = current;
      const wanted = before === emotion ? null : emotion;
      show(wanted);
      chip.setAttribute("aria-busy", "true");
      const isSet = await onMood(wanted);
      chip.setAttribute("aria-busy", "false");
      if (!isSet && current === wanted) show(before);
    });
    return [emotion, chip] as const;
  });
  const show = (shown: ExpressionName | null): void => {
    current = shown;
    for (const [emotion, chip] of chips) chip.setAttribute("aria-pressed", String(emotion === shown));
  };
  show(null);
  container.setAttribute("role", "group");
  container.setAttribute("aria-label", texts.group);
  container.replaceChildren(...chips.map(([, chip]) => chip));
  return show;
}
