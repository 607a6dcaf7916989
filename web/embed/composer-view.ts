// Where the visitor talks and types: the microphone's button, the text box, and tools.
import { findElement } from "../shared/find-element.ts";
import type { TypingMode } from "./conversation-words.ts";
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

export interface ComposerActions {
  say(text: string, mode: TypingMode): void;
  setMicrophone(isOn: boolean): void;
  setMuted(isMuted: boolean): void;
  setTranscriptOpen(isOpen: boolean): void;
  end(): void;
  /** The visitor types where an on-screen keyboard leaves little room, or no longer does. */
  setTyping(isTyping: boolean): void;
}

/** Characters of a text box from which the remaining ones are counted. */
const COUNT_FROM = 400;

export class ComposerView {
  readonly element = findElement("say", HTMLFormElement);
  readonly #text = findElement("text", HTMLInputElement);
  readonly #textLabel = findElement("text-label", HTMLElement);
  readonly #sayRow = findElement("say-row", HTMLElement);
  readonly #send = findElement("send", HTMLButtonElement);
  readonly #hint = findElement("hint", HTMLElement);
  readonly #microphone = findElement("microphone", HTMLButtonElement);
  readonly #talkWord = findElement("talk-word", HTMLElement);
  readonly #stopWord = findElement("stop-word", HTMLElement);
  readonly #words = findElement("words", HTMLButtonElement);
  readonly #end = findElement("end", HTMLButtonElement);
  readonly #puppet = findElement("puppet", HTMLButtonElement);
  readonly #texts: EmbedTexts;
  #isLive = false;
  #mode: TypingMode = "ask";

  constructor(texts: EmbedTexts, actions: ComposerActions) {
    this.#texts = texts;
    this.showMode("ask");
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (!text || !this.#isLive) return;
      actions.say(text, this.#mode);
      // An on-screen keyboard stays open for the next line.
      this.#text.focus();
    });
    this.#text.addEventListener("input", () => this.#textChanged());
    this.#end.addEventListener("click", () => actions.end());
    onToggle(findElement("mute", HTMLButtonElement), (isMuted) => actions.setMuted(isMuted));
    onToggle(this.#words, (isOpen) => actions.setTranscriptOpen(isOpen));
    onToggle(this.#microphone, (isOn) => {
      this.setMicrophoneOn(isOn);
      actions.setMicrophone(isOn);
    });
    onToggle(this.#puppet, (isOn) => this.showMode(isOn ? "say" : "ask"));
    const watchTyping = () =>
      actions.setTyping(
        this.#sayRow.contains(document.activeElement) && document.documentElement.hasAttribute("data-low"),
      );
    // Once the focus has moved on.
    this.#sayRow.addEventListener("focusout", () => setTimeout(watchTyping));
    this.#sayRow.addEventListener("focusin", watchTyping);
    window.visualViewport?.addEventListener("resize", watchTyping);
  }

  /** Whether the avatar hears and reads now. */
  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    for (const button of [this.#microphone, this.#end, this.#puppet]) button.disabled = !isLive;
    if (!isLive) this.showSending(false);
    this.#textChanged();
  }

  showMode(mode: TypingMode): void {
    this.#mode = mode;
    const { button, placeholder, label, hint } = this.#texts.typing[mode];
    this.#send.textContent = button;
    this.#text.placeholder = placeholder;
    this.#textLabel.textContent = label;
    this.#puppet.setAttribute("aria-pressed", String(mode === "say"));
    this.showHint(hint);
  }

  showTranscriptOpen(isOpen: boolean): void {
    this.#words.setAttribute("aria-pressed", String(isOpen));
  }

  showMicrophone(isAllowed: boolean): void {
    this.#microphone.hidden = !isAllowed;
  }

  /** While it is on, the button says so, and a ring around it follows `setLevel`. */
  setMicrophoneOn(isOn: boolean): void {
    this.#microphone.setAttribute("aria-pressed", String(isOn));
    this.#talkWord.textContent = isOn ? this.#texts.buttons.listening : this.#texts.buttons.talk;
    this.#stopWord.hidden = !isOn;
    this.setLevel(0);
  }

  /** Loudness of the microphone, 0 to 1. */
  setLevel(level: number): void {
    this.#microphone.style.setProperty("--level", level.toFixed(2));
  }

  showHint(text: string): void {
    this.#hint.textContent = text;
  }

  /** Whether a text was sent and the avatar has said nothing since. */
  showSending(isSending: boolean): void {
    this.#send.setAttribute("aria-busy", String(isSending));
  }

  /** Empties the text box if it still holds the given text. */
  clearText(text: string): void {
    if (this.#text.value.trim() === text) this.#text.value = "";
    this.#textChanged();
  }

  #textChanged(): void {
    const { length } = this.#text.value;
    this.#send.disabled = !this.#isLive || this.#text.value.trim() === "";
    if (length >= COUNT_FROM) this.showHint(this.#texts.charactersLeft(this.#text.maxLength - length));
    else if (length > 0) this.showHint(this.#texts.typing[this.#mode].hint);
  }
}

/** A button that stays pressed. */
export function onToggle(button: HTMLButtonElement, act: (isPressed: boolean) => void): void {
  button.addEventListener("click", () => {
    const isPressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isPressed));
    act(isPressed);
  });
}
