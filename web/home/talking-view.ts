// The stage of a finished avatar: the embed page in a frame, and what can be done with the avatar around it.

import { copyText } from "../shared/copy-text.ts";
import { findElement } from "../shared/find-element.ts";
import { type FromEmbed, readFrameMessage } from "../shared/frame-messages.ts";
import { Cover } from "./cover.ts";

export interface TalkingAvatar {
  /** Empty if it has none. */
  name: string;
  /** Address of the page on which it talks. */
  page: string;
  /** What to know about it. */
  notes: readonly string[];
  /** The face that moves in this tab until the streamed one does. */
  face?: HTMLCanvasElement;
}

export interface TalkingActions {
  /** The streamed face moves. */
  live(): void;
  /** The avatar has said something. */
  spoke(): void;
  /** A link to share. Rejects with the reason if there is none. */
  link(): Promise<string>;
}

export class TalkingView {
  readonly #actions: TalkingActions;
  readonly #cover = new Cover();
  readonly #frame = findElement("avatar", HTMLIFrameElement);
  readonly #note = findElement("note", HTMLElement);
  readonly #wrong = findElement("talking-wrong", HTMLElement);
  readonly #shareSaid = findElement("share-said", HTMLElement);
  readonly #shareLink = findElement("share-link", HTMLInputElement);

  constructor(actions: TalkingActions) {
    this.#actions = actions;
    findElement("share", HTMLButtonElement).addEventListener("click", () => void this.#share());
    window.addEventListener("message", (event) => {
      const message = readFrameMessage(event, this.#frame.contentWindow);
      if (message) this.#hear(message);
    });
  }

  show({ name, page, notes, face }: TalkingAvatar): void {
    this.#note.hidden = notes.length === 0;
    this.#note.textContent = notes.join(" ");
    this.#shareLink.hidden = true;
    this.#shareSaid.textContent = "";
    this.showProblem("");
    if (face) this.#cover.begin(face);
    this.#frame.title = name ? `${name}, your avatar` : "Your avatar";
    this.#frame.src = page;
  }

  showProblem(message: string): void {
    this.#wrong.textContent = message;
  }

  /** Ends the conversation. */
  leave(): void {
    this.#cover.end();
    this.#frame.removeAttribute("src");
  }

  #hear(message: FromEmbed): void {
    const { live, spoke } = this.#actions;
    if (message.avatar === "picture") this.#cover.place(message);
    else if (message.avatar === "live") this.#cover.dissolve(live);
    else spoke();
  }

  async #share(): Promise<void> {
    try {
      const link = await this.#actions.link();
      this.#shareLink.value = link;
      this.#shareLink.hidden = false;
      const isCopied = await copyText(link);
      if (!isCopied) this.#shareLink.select();
      this.#shareSaid.textContent = `${isCopied ? "Copied." : "Copy this link."} It works for seven days.`;
    } catch (error) {
      this.showProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
