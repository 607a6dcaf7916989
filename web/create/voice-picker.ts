// Three voices as buttons: a press chooses one, and lets it be heard.

export interface VoiceChoice {
  /** As the service names it. */
  id: string;
  /** For the visitor. */
  label: string;
  /** It cannot be heard: it stands for no certain voice. Default false. */
  isSilent?: boolean;
}

export interface VoicePickerOptions {
  container: HTMLElement;
  /** Name of the group of buttons; one choice for each group on the page. */
  group: string;
  /** A voice was chosen, by a press that lets audio play. */
  onChoice(id: string): void;
}

/** Radio buttons that look like buttons with a play sign, so that keyboards and screen readers have what they know. */
export class VoicePicker {
  readonly #options: VoicePickerOptions;

  constructor(options: VoicePickerOptions) {
    this.#options = options;
  }

  /** Shows voices; `chosen` is the one that is chosen, if any. */
  show(voices: readonly VoiceChoice[], chosen?: string): void {
    this.#options.container.replaceChildren(...voices.map((voice) => this.#button(voice, voice.id === chosen)));
  }

  /** The chosen voice. */
  get chosen(): string | undefined {
    return this.#options.container.querySelector<HTMLInputElement>("input:checked")?.value;
  }

  /** Chooses one of the voices that are shown, without letting it be heard. */
  choose(id: string): void {
    for (const input of this.#options.container.querySelectorAll("input")) input.checked = input.value === id;
  }

  /** Marks the voice that is heard now; undefined for none. */
  showPlaying(id: string | undefined): void {
    for (const label of this.#options.container.querySelectorAll("label"))
      label.toggleAttribute("data-playing", label.querySelector("input")?.value === id);
  }

  #button({ id, label, isSilent = false }: VoiceChoice, isChosen: boolean): HTMLElement {
    const button = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: this.#options.group, value: id, checked: isChosen });
    const sign = document.createElement("span");
    sign.className = "play";
    button.append(input, ...(isSilent ? [] : [sign]), label);
    // A click also when it is chosen already: it is heard again. Arrow keys click, too.
    input.addEventListener("click", () => this.#options.onChoice(id));
    return button;
  }
}
