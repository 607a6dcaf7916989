// The visitor's avatars, with what can be done with each.
import type { CreateContext } from "./create-context.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface OwnAvatar {
  code: string;
  /** Empty if it has none. */
  name: string;
  /** Address of its picture; undefined while there is none. */
  poster?: string;
}

export interface OwnAvatarsActions {
  open(code: string): void;
  delete(avatar: OwnAvatar): void;
  /** Loads those that come after the shown ones. */
  more(): void;
}

export class OwnAvatarsView {
  readonly #texts: CreateTexts["own"];
  readonly #actions: OwnAvatarsActions;
  readonly #section: HTMLElement;
  readonly #list: HTMLUListElement;
  readonly #more: HTMLButtonElement;
  readonly #wrong: HTMLElement;

  constructor(context: CreateContext, actions: OwnAvatarsActions) {
    const { find } = context;
    this.#texts = context.texts.own;
    this.#section = find("own", HTMLElement);
    this.#list = find("own-list", HTMLUListElement);
    this.#more = find("own-more", HTMLButtonElement);
    this.#wrong = find("own-wrong", HTMLElement);
    this.#actions = actions;
    this.#more.addEventListener("click", () => actions.more());
  }

  /** Shows avatars, newest first; nothing at all if there are none. */
  show(avatars: readonly OwnAvatar[], { hasMore }: { hasMore: boolean }): void {
    this.#section.toggleAttribute("data-filled", avatars.length > 0);
    this.#list.replaceChildren(...avatars.map((avatar) => this.#item(avatar)));
    this.#more.hidden = !hasMore;
    this.showProblem("");
  }

  showProblem(message: string): void {
    this.#wrong.textContent = message;
  }

  #item(avatar: OwnAvatar): HTMLElement {
    const { code, name, poster } = avatar;
    const label = name || this.#texts.unnamed;
    const item = document.createElement("li");
    const open = document.createElement("button");
    open.type = "button";
    open.className = "own-open";
    const picture = document.createElement("img");
    picture.alt = "";
    picture.loading = "lazy";
    if (poster !== undefined) picture.src = poster;
    const title = document.createElement("span");
    title.className = name ? "own-name" : "own-name quiet";
    title.textContent = label;
    open.append(picture, title);
    open.addEventListener("click", () => this.#actions.open(code));
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "plain";
    remove.textContent = this.#texts.delete;
    remove.setAttribute("aria-label", this.#texts.deleteNamed(label));
    remove.addEventListener("click", () => this.#actions.delete(avatar));
    item.append(open, remove);
    return item;
  }
}
