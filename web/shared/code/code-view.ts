// Code in three languages, one at a time, with a button that copies it. Its styles are code-view.css.
import { element } from "../element.ts";

export const LANGUAGES = { curl: "curl", typescript: "TypeScript", python: "Python" } as const;
export type Language = keyof typeof LANGUAGES;

/** Words in capitals that stand for the visitor's own values. Environment variables are left out. */
const PLACEHOLDER = /(?<![$\w."])(?!AVATAR_API_SECRET)[A-Z]+_[A-Z_]+\b|(?<=")(?!AVATAR_API_SECRET)[A-Z]+_[A-Z_]+(?=")/g;
const COPIED_MS = 2_000;

export class CodeView {
  readonly element: HTMLElement;
  readonly #code = element("code");
  readonly #buttons: ReadonlyMap<Language, HTMLButtonElement>;

  constructor(choose: (language: Language) => void) {
    const names = Object.keys(LANGUAGES) as Language[];
    this.#buttons = new Map(
      names.map((name) => [
        name,
        element("button", {
          type: "button",
          className: "language",
          textContent: LANGUAGES[name],
          onclick: () => choose(name),
        }),
      ]),
    );
    const copy = element("button", { type: "button", className: "copy", textContent: "Copy" });
    copy.addEventListener("click", () => void this.#copy(copy));
    // It scrolls, also with the keyboard.
    const pre = element("pre", { tabIndex: 0, className: "code", ariaLabel: "Sample", role: "group" }, this.#code);
    this.element = element(
      "div",
      { className: "sample" },
      element(
        "div",
        { className: "sample-bar", role: "group", ariaLabel: "Language" },
        ...this.#buttons.values(),
        copy,
      ),
      pre,
    );
  }

  show(code: string, language: Language): void {
    for (const [name, button] of this.#buttons) button.ariaPressed = String(name === language);
    this.#code.replaceChildren(...marked(code));
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#code.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      // No permission, or no secure page: the text is selected, so that a key copies it.
      getSelection()?.selectAllChildren(this.#code);
      button.textContent = "Selected";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  }
}

/** The text, with what the visitor has to fill in marked. */
function marked(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(text.slice(end, match.index), element("mark", { title: "A value of your own" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
