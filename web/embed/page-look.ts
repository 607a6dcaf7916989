// The look of the page: its theme, its form inside a widget, and the questions and first words of a chat.
import { type Accent, accentValue } from "../../shared/accents.ts";
import type { WIDGET_THEMES, WidgetForm } from "../../shared/widget-messages.ts";
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import type { LookParameters } from "./look-parameters.ts";

export interface PageLookActions {
  ask(question: string): void;
}

/** A frame this small has room for the face alone. */
const SMALL = "(width < 300px) or (height < 300px)";

export class PageLook {
  readonly #root = document.documentElement;
  readonly #isGadget: boolean;
  readonly #small = matchMedia(SMALL);
  #form: WidgetForm | undefined;
  readonly #transcript = findElement("transcript", HTMLElement);
  readonly #questions = element("div", { className: "questions", hidden: true });

  constructor({ isGadget, theme, colour, chatMode, welcome, questions }: LookParameters, { ask }: PageLookActions) {
    this.#isGadget = isGadget;
    this.#root.toggleAttribute("data-gadget", isGadget);
    this.#small.addEventListener("change", () => this.#layOut());
    this.#layOut();
    this.showTheme(theme, colour);
    if (chatMode !== undefined) {
      this.#root.dataset.chat = chatMode;
      this.showForm("chat");
    }
    if (welcome !== "") {
      const line = element("p", { className: "line welcome" }, welcome);
      line.dataset.speaker = "avatar";
      this.#transcript.prepend(line);
    }
    const chips = questions.map((question) =>
      element("button", { className: "chip", type: "button", onclick: () => ask(question) }, question),
    );
    this.#questions.append(...chips);
    this.#questions.hidden = chips.length === 0;
    findElement("say", HTMLElement).prepend(this.#questions);
  }

  showTheme(theme: (typeof WIDGET_THEMES)[number], colour: Accent | undefined): void {
    this.#root.dataset.theme = theme;
    if (colour === undefined) return;
    this.#root.dataset.colour = colour;
    this.#root.style.setProperty("--accent", accentValue(colour));
  }

  showForm(form: WidgetForm): void {
    this.#form = form;
    this.#layOut();
  }

  /** Whether a chat is for typing and for talking, or for the one alone that it begins with. */
  showModes(allowsSwitch: boolean): void {
    this.#root.toggleAttribute("data-one-mode", !allowsSwitch);
  }

  #layOut(): void {
    const isAlone = this.#isGadget && this.#small.matches && this.#form !== "chat";
    const form = isAlone ? "floating" : this.#form;
    if (form === undefined) delete this.#root.dataset.form;
    else this.#root.dataset.form = form;
  }

  /** Once the visitor has asked something, the questions have done their work. */
  hideQuestions(): void {
    this.#questions.hidden = true;
  }
}
