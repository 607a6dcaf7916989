// Voice and character of a finished avatar, which its owner may change.
import { findElement } from "../shared/find-element.ts";
import type { AgentChange } from "./agent-client.ts";
import { VoicePicker } from "./voice-picker.ts";
import { voiceChoices } from "./voices.ts";

export interface ChangeActions {
  hear(voice: string): void;
  /** Rejects with the reason if it cannot be changed. */
  save(change: AgentChange): Promise<void>;
  delete(): void;
}

export class ChangeView {
  readonly #voices: VoicePicker;
  readonly #character = findElement("change-character", HTMLTextAreaElement);
  readonly #save = findElement("change-save", HTMLButtonElement);
  readonly #said = findElement("change-said", HTMLElement);

  constructor(actions: ChangeActions) {
    this.#voices = new VoicePicker({
      container: findElement("change-voices", HTMLElement),
      group: "change-voice",
      onChoice: actions.hear,
    });
    findElement("change", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit(actions);
    });
    findElement("delete", HTMLButtonElement).addEventListener("click", () => actions.delete());
  }

  show({ voice, character }: AgentChange): void {
    this.#voices.show(voiceChoices({ areAll: true }), voice);
    this.#character.value = character;
    this.#said.textContent = "";
  }

  async #submit(actions: ChangeActions): Promise<void> {
    this.#save.disabled = true;
    try {
      await actions.save({ voice: this.#voices.chosen ?? "", character: this.#character.value.trim() });
      this.#said.textContent = "Saved.";
    } catch (error) {
      this.#said.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#save.disabled = false;
    }
  }
}
