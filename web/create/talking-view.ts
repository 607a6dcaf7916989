// The stage of a finished avatar: the embed page in a frame, and what can be done with the avatar around it.

import { copyText } from "../shared/copy-text.ts";
import { type FromEmbed, readFrameMessage } from "../shared/frame-messages.ts";
import { Cover } from "./cover.ts";
import type { CreateContext } from "./create-context.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

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
  readonly #texts: CreateTexts["talking"];
  readonly #title: string;
  readonly #actions: TalkingActions;
  readonly #cover: Cover;
  readonly #frame: HTMLIFrameElement;
  readonly #note: HTMLElement;
  readonly #wrong: HTMLElement;
  readonly #shareSaid: HTMLElement;
  readonly #shareLink: HTMLInputElement;

  constructor(context: CreateContext, actions: TalkingActions) {
    const { find, closed } = context;
    this.#texts = context.texts.talking;
    this.#title = context.texts.titles.talking;
    this.#cover = new Cover(context);
    this.#frame = find("avatar", HTMLIFrameElement);
    this.#note = find("note", HTMLElement);
    this.#wrong = find("talking-wrong", HTMLElement);
    this.#shareSaid = find("share-said", HTMLElement);
    this.#shareLink = find("share-link", HTMLInputElement);
    this.#actions = actions;
    find("share", HTMLButtonElement).addEventListener("click", () => void this.#share());
    const hear = (event: MessageEvent) => {
      const message = readFrameMessage(event, this.#frame.contentWindow);
      if (message) this.#hear(message);
    };
    window.addEventListener("message", hear, { signal: closed });
  }

  show({ name, page, notes, face }: TalkingAvatar): void {
    this.#note.hidden = notes.length === 0;
    this.#note.textContent = notes.join(" ");
    this.#shareLink.hidden = true;
    this.#shareSaid.textContent = "";
    this.showProblem("");
    if (face) this.#cover.begin(face);
    this.#frame.title = name ? this.#texts.yours(name) : this.#title;
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
      this.#shareSaid.textContent = isCopied ? this.#texts.linkCopied : this.#texts.linkShown;
    } catch (error) {
      this.showProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
