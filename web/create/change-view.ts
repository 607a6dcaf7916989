// Voice and character of a finished avatar, which its owner may change.
import type { AgentChange } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";
import { VoicePicker } from "./voice-picker.ts";
import { voiceChoices } from "./voices.ts";

export interface ChangeActions {
  hear(voice: string): void;
  /** Rejects with the reason if it cannot be changed. */
  save(change: AgentChange): Promise<void>;
  delete(): void;
}

export class ChangeView {
  readonly #context: CreateContext;
  readonly #voices: VoicePicker;
  readonly #character: HTMLTextAreaElement;
  readonly #save: HTMLButtonElement;
  readonly #said: HTMLElement;

  constructor(context: CreateContext, actions: ChangeActions) {
    const { find } = context;
    this.#context = context;
    this.#character = find("change-character", HTMLTextAreaElement);
    this.#save = find("change-save", HTMLButtonElement);
    this.#said = find("change-said", HTMLElement);
    this.#voices = new VoicePicker({
      container: find("change-voices", HTMLElement),
      group: "change-voice",
      onChoice: actions.hear,
    });
    find("change", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit(actions);
    });
    find("delete", HTMLButtonElement).addEventListener("click", () => actions.delete());
  }

  show({ voice, character }: AgentChange): void {
    this.#voices.show(voiceChoices(this.#context.texts.order, { areAll: true }), voice);
    this.#character.value = character;
    this.#said.textContent = "";
  }

  async #submit(actions: ChangeActions): Promise<void> {
    this.#save.disabled = true;
    try {
      await actions.save({ voice: this.#voices.chosen ?? "", character: this.#character.value.trim() });
      this.#said.textContent = this.#context.texts.change.saved;
    } catch (error) {
      this.#said.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#save.disabled = false;
    }
  }
}
