// What the visitor says of an avatar that is made without a picture.
import type { CreateContext } from "./create-context.ts";
import { type Choices, chooseShape, chosenShape } from "./order-view.ts";
import { VoicePicker } from "./voice-picker.ts";
import { voiceChoices } from "./voices.ts";

export interface DescribeActions {
  hear(voice: string): void;
  make(choices: Choices): void;
  /** Back to a picture. */
  back(): void;
}

/** The value of the choice to leave the voice to the service. */
const ANY_VOICE = "any";

export class DescribeView {
  readonly #context: CreateContext;
  readonly #form: HTMLFormElement;
  readonly #prompt: HTMLTextAreaElement;
  readonly #name: HTMLInputElement;
  readonly #wrong: HTMLElement;
  readonly #voices: VoicePicker;

  constructor(context: CreateContext, actions: DescribeActions) {
    const { find, texts } = context;
    this.#context = context;
    this.#prompt = find("prompt", HTMLTextAreaElement);
    this.#name = find("described-name", HTMLInputElement);
    this.#wrong = find("prompt-wrong", HTMLElement);
    this.#voices = new VoicePicker({
      container: find("described-voices", HTMLElement),
      group: "described-voice",
      onChoice: (id) => {
        if (id !== ANY_VOICE) actions.hear(id);
      },
    });
    const choices = voiceChoices(texts.order, { areAll: false });
    this.#voices.show([{ id: ANY_VOICE, label: texts.describing.anyVoice, isSilent: true }, ...choices], ANY_VOICE);
    this.#form = find("describe", HTMLFormElement);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { choices } = this;
      if (choices.character === "") return this.#askForWords();
      this.#wrong.textContent = "";
      actions.make(choices);
    });
    find("describe-back", HTMLButtonElement).addEventListener("click", () => actions.back());
  }

  /** What was said so far; `character` is the description. */
  get choices(): Choices {
    const voice = this.#voices.chosen ?? ANY_VOICE;
    return {
      character: this.#prompt.value.trim(),
      name: this.#name.value.trim(),
      voice: voice === ANY_VOICE ? "" : voice,
      shape: chosenShape(this.#form),
    };
  }

  /** Shows what was said before. */
  restore({ character, name, voice, shape }: Choices): void {
    this.#prompt.value = character;
    this.#name.value = name;
    this.#voices.choose(voice === "" ? ANY_VOICE : voice);
    chooseShape(this.#form, shape);
  }

  #askForWords(): void {
    this.#wrong.textContent = this.#context.texts.describing.promptMissing;
    this.#prompt.focus();
  }
}
