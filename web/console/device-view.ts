// Names the computer that asks for a secret, and takes the person's decision.
import { findElement } from "../shared/find-element.ts";
import type { AskingDevice } from "./console-client.ts";

export interface DeviceActions {
  find(code: string): void;
  decide(device: AskingDevice, isConfirmed: boolean): void;
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export class DeviceView {
  readonly #form = findElement("device-form", HTMLFormElement);
  readonly #code = findElement("code", HTMLInputElement);
  readonly #ask = findElement("device-ask", HTMLElement);
  #device: AskingDevice | undefined;

  constructor(actions: DeviceActions) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.find(this.#code.value);
    });
    const decide = (isConfirmed: boolean) => () => {
      if (this.#device) actions.decide(this.#device, isConfirmed);
    };
    findElement("device-confirm", HTMLButtonElement).addEventListener("click", decide(true));
    findElement("device-deny", HTMLButtonElement).addEventListener("click", decide(false));
  }

  /** The form for a code. */
  show(code: string): void {
    this.#code.value = code;
    this.#form.hidden = false;
    this.#ask.hidden = true;
    findElement("device", HTMLElement).hidden = false;
  }

  ask(device: AskingDevice): void {
    this.#device = device;
    findElement("device-host", HTMLElement).textContent = device.host;
    findElement("device-address", HTMLElement).textContent = device.address;
    findElement("device-time", HTMLElement).textContent = TIME.format(new Date(device.created_at));
    findElement("device-code", HTMLElement).textContent = device.user_code;
    this.#form.hidden = true;
    this.#ask.hidden = false;
    // Not to the button: a key that is still held must not confirm what no one has read.
    findElement("device-title", HTMLElement).focus();
  }

  hide(): void {
    findElement("device", HTMLElement).hidden = true;
  }
}
