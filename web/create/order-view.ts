// What the visitor chooses for the face: a voice, and if they wish a name, a character and a shape.
import { SHAPES, type Shape } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";
import { type VoiceChoice, VoicePicker } from "./voice-picker.ts";

/** What the visitor wants to be made of the picture. */
export interface Choices {
  voice: string;
  /** Empty if none was given. */
  name: string;
  /** Empty if none was given. */
  character: string;
  shape: Shape;
}

export interface OrderActions {
  hear(voice: string): void;
  make(choices: Choices): void;
  shape(shape: Shape): void;
}

export class OrderView {
  readonly voices: VoicePicker;
  readonly #context: CreateContext;
  readonly #form: HTMLFormElement;
  readonly #name: HTMLInputElement;
  readonly #character: HTMLInputElement;
  readonly #note: HTMLElement;
  readonly #wrong: HTMLElement;

  constructor(context: CreateContext, actions: OrderActions) {
    const { find } = context;
    this.#context = context;
    this.#form = find("order", HTMLFormElement);
    this.#name = find("name", HTMLInputElement);
    this.#character = find("character", HTMLInputElement);
    this.#note = find("chosen-note", HTMLElement);
    this.#wrong = find("voice-wrong", HTMLElement);
    this.voices = new VoicePicker({
      container: find("voices", HTMLElement),
      group: "voice",
      onChoice: (id) => {
        this.#wrong.textContent = "";
        actions.hear(id);
      },
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const voice = this.voices.chosen;
      if (voice === undefined) this.#askForVoice();
      else actions.make({ ...this.choices, voice });
    });
    for (const input of shapeInputs(this.#form)) input.addEventListener("change", () => actions.shape(this.shape));
  }

  /** The chosen shape. */
  get shape(): Shape {
    return chosenShape(this.#form);
  }

  /** What is chosen so far; an empty voice for none. */
  get choices(): Choices {
    return {
      voice: this.voices.chosen ?? "",
      name: this.#name.value.trim(),
      character: this.#character.value.trim(),
      shape: this.shape,
    };
  }

  /** Shows choices that were made before. */
  restore({ voice, name, character, shape }: Choices): void {
    this.voices.choose(voice);
    this.#name.value = name;
    this.#character.value = character;
    chooseShape(this.#form, shape);
  }

  showVoices(voices: readonly VoiceChoice[]): void {
    this.voices.show(voices, this.voices.chosen);
  }

  /** What there is to know before the choice. */
  showNote(text: string): void {
    this.#note.textContent = text;
  }

  /** Why a voice cannot be heard; an empty message hides it. */
  showProblem(message: string): void {
    this.#wrong.textContent = message;
  }

  #askForVoice(): void {
    this.#wrong.textContent = this.#context.texts.order.chooseVoice;
    this.#form.querySelector<HTMLInputElement>("#voices input")?.focus();
  }
}

/** The shape that is chosen in a form. */
export function chosenShape(form: HTMLFormElement): Shape {
  const chosen = shapeInputs(form).find(({ checked }) => checked)?.value;
  return SHAPES.find((shape) => shape === chosen) ?? SHAPES[0];
}

/** Chooses a shape in a form. */
export function chooseShape(form: HTMLFormElement, shape: Shape): void {
  for (const input of shapeInputs(form)) input.checked = input.value === shape;
}

function shapeInputs(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('.shapes input[type="radio"]')];
}
