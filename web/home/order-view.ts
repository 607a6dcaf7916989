// What the visitor chooses for the face: a voice, and if they wish a name, a character and a shape.
import { findElement } from "../shared/find-element.ts";
import { SHAPES, type Shape } from "./agent-client.ts";
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

const CHOOSE_FIRST = "Choose a voice first: press one to hear it.";

export class OrderView {
  readonly voices: VoicePicker;
  readonly #name = findElement("name", HTMLInputElement);
  readonly #character = findElement("character", HTMLInputElement);
  readonly #note = findElement("chosen-note", HTMLElement);
  readonly #wrong = findElement("voice-wrong", HTMLElement);

  constructor(actions: OrderActions) {
    this.voices = new VoicePicker({
      container: findElement("voices", HTMLElement),
      group: "voice",
      onChoice: (id) => {
        this.#wrong.textContent = "";
        actions.hear(id);
      },
    });
    findElement("order", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      const voice = this.voices.chosen;
      if (voice === undefined) this.#askForVoice();
      else
        actions.make({
          voice,
          name: this.#name.value.trim(),
          character: this.#character.value.trim(),
          shape: this.shape,
        });
    });
    for (const input of shapeInputs()) input.addEventListener("change", () => actions.shape(this.shape));
  }

  /** The chosen shape. */
  get shape(): Shape {
    const chosen = shapeInputs().find(({ checked }) => checked)?.value;
    return SHAPES.find((shape) => shape === chosen) ?? SHAPES[0];
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
    this.#wrong.textContent = CHOOSE_FIRST;
    document.querySelector<HTMLInputElement>("#voices input")?.focus();
  }
}

function shapeInputs(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('input[name="shape"]')];
}
