// The elements of the start page. Everything that is shown goes through textContent: names and messages come from
// outside.
import { findElement } from "../shared/find-element.ts";
import { SHAPES, type Shape } from "./agent-client.ts";
import { STEP_NAMES } from "./creation-steps.ts";

/** `opening`: looks for access and for the agent of the address. `access`: an API secret is needed. `empty`: waits for
 *  a picture. `chosen`: shows it, with the choices. `making`: the picture is sent or the agent made. `marking`: a
 *  person must mark the face. `refused`: says why there is no avatar. `talking`: the avatar is there. */
export type HomeState = "opening" | "access" | "empty" | "chosen" | "making" | "marking" | "refused" | "talking";

/** What the visitor wants to be made of the picture. */
export interface Choices {
  shape: Shape;
  /** Of the avatar: name, character, and the voice's owner; empty if nothing was chosen. */
  prompt: string;
}

export interface Refusal {
  message: string;
  /** The same picture may be accepted later. */
  canRepeat: boolean;
  /** A person may mark a face that the service does not see. */
  canMark: boolean;
}

export interface TalkingAvatar {
  code: string;
  name: string;
  /** Address of the page on which it talks. */
  page: string;
  /** Link to the `.imx` file; null if there is none. */
  modelUrl: string | null;
  /** What to know about it. */
  notes: readonly string[];
}

/** What the visitor can do, besides giving a picture. */
export interface HomeActions {
  useSecret(secret: string, isKept: boolean): void;
  forgetSecret(): void;
  openCamera(): void;
  make(choices: Choices): void;
  cancel(): void;
  another(): void;
  repeat(): void;
  markFace(): void;
  share(): void;
  deleteAvatar(): void;
}

const INVITATION = "Put your own photograph here and it talks";
const TITLES: Readonly<Record<HomeState, string>> = {
  opening: INVITATION,
  access: INVITATION,
  empty: INVITATION,
  chosen: INVITATION,
  making: "Making your avatar",
  marking: "Show where the face is",
  refused: "That did not work",
  talking: "Your avatar",
};
const VOICES: Readonly<Record<string, string>> = { woman: "You are a woman.", man: "You are a man." };

/** Shows states and passes on what the visitor does. */
export class HomeView {
  readonly #try = findElement("try", HTMLElement);
  readonly #title = findElement("try-title", HTMLElement);
  readonly #status = findElement("status", HTMLElement);
  readonly #opening = findElement("opening", HTMLElement);
  readonly #views = [...this.#try.querySelectorAll<HTMLElement>("[data-view]")];
  readonly #secret = findElement("secret", HTMLInputElement);
  readonly #accessUse = findElement("access-use", HTMLButtonElement);
  readonly #accessHint = findElement("access-hint", HTMLElement);
  readonly #accessWrong = findElement("access-wrong", HTMLElement);
  readonly #signedIn = findElement("signed-in", HTMLElement);
  readonly #pictureWrong = findElement("picture-wrong", HTMLElement);
  readonly #picture = findElement("picture", HTMLImageElement);
  readonly #steps = findElement("steps", HTMLOListElement);
  readonly #progress = findElement("progress", HTMLProgressElement);
  readonly #message = findElement("message", HTMLElement);
  readonly #refusal = findElement("refusal", HTMLElement);
  readonly #repeat = findElement("repeat", HTMLButtonElement);
  readonly #mark = findElement("mark", HTMLButtonElement);
  readonly #markingReason = findElement("marking-reason", HTMLElement);
  readonly #marks = findElement("marks", HTMLIFrameElement);
  readonly #note = findElement("note", HTMLElement);
  readonly #avatar = findElement("avatar", HTMLIFrameElement);
  readonly #download = findElement("download", HTMLAnchorElement);
  readonly #shareRow = findElement("share-row", HTMLElement);
  readonly #shareLink = findElement("share-link", HTMLInputElement);
  readonly #shareHint = findElement("share-hint", HTMLElement);
  readonly #code = findElement("code", HTMLElement);
  readonly #talkingWrong = findElement("talking-wrong", HTMLElement);
  #state: HomeState = "opening";

  constructor(actions: HomeActions) {
    const isKept = findElement("access-keep", HTMLInputElement);
    onSubmit(findElement("access", HTMLFormElement), () => actions.useSecret(this.#secret.value, isKept.checked));
    onSubmit(findElement("order", HTMLFormElement), () => actions.make(readChoices()));
    for (const button of this.#try.querySelectorAll(".another")) onClick(button, actions.another);
    onClick(findElement("forget", HTMLButtonElement), actions.forgetSecret);
    onClick(findElement("camera", HTMLButtonElement), actions.openCamera);
    onClick(findElement("cancel", HTMLButtonElement), actions.cancel);
    onClick(this.#repeat, actions.repeat);
    onClick(this.#mark, actions.markFace);
    onClick(findElement("share", HTMLButtonElement), actions.share);
    onClick(findElement("delete", HTMLButtonElement), actions.deleteAvatar);
    this.#picture.addEventListener("error", () => this.#picture.removeAttribute("src"));
    for (const name of STEP_NAMES) {
      const item = document.createElement("li");
      item.textContent = name;
      this.#steps.append(item);
    }
  }

  get state(): HomeState {
    return this.#state;
  }

  /** Shows one state, and clears what the others showed. */
  show(state: HomeState): void {
    this.#state = state;
    this.#try.dataset.state = state;
    this.#title.textContent = TITLES[state];
    const hadFocus = this.#try.contains(document.activeElement);
    for (const view of this.#views) view.hidden = !view.dataset.view?.split(" ").includes(state);
    if (state !== "marking") this.#marks.removeAttribute("src");
    if (state !== "talking") this.#avatar.removeAttribute("src");
    this.showPictureProblem("");
    // The focus goes on with the visitor: it would be lost with the button that was pressed.
    const first = FIRST_CONTROL[state];
    if (first && (hadFocus || state === "chosen")) document.getElementById(first)?.focus({ preventScroll: true });
  }

  /** What the page does before it has access. */
  showOpening(text: string): void {
    this.#opening.textContent = text;
    this.show("opening");
  }

  showAccess({ isSecure }: { isSecure: boolean }): void {
    this.#secret.value = "";
    this.showAccessProblem("");
    if (!isSecure) {
      this.#accessHint.textContent =
        "This page came without https: others on the network can read the secret. Use https, or this service's own machine.";
      this.#accessHint.className = "wrong";
    }
    this.show("access");
  }

  /** An empty message hides it. */
  showAccessProblem(message: string): void {
    this.#accessWrong.textContent = message;
    this.#accessUse.disabled = false;
  }

  /** A secret is being checked. */
  showAccessCheck(): void {
    this.#accessWrong.textContent = "";
    this.#accessUse.disabled = true;
  }

  showSignedIn(isSignedIn: boolean): void {
    this.#signedIn.hidden = !isSignedIn;
    this.#secret.value = "";
  }

  showDrag(isOver: boolean): void {
    this.#try.toggleAttribute("data-dragged", isOver);
  }

  showPictureProblem(message: string): void {
    this.#pictureWrong.textContent = message;
  }

  /** The picture beside choices, steps and refusals; undefined for none. */
  setPicture(url: string | undefined): void {
    if (url === undefined) this.#picture.removeAttribute("src");
    else if (this.#picture.getAttribute("src") !== url) this.#picture.src = url;
  }

  /** `step` is an index of `STEP_NAMES`, or their number when all are done; undefined progress: unknown. */
  showStep(step: number, message: string, progress: number | undefined): void {
    for (const [index, item] of [...this.#steps.children].entries()) {
      item.toggleAttribute("aria-current", index === step);
      if (index === step) item.setAttribute("aria-current", "step");
      (item as HTMLElement).dataset.state = index < step ? "done" : "";
    }
    if (progress === undefined) this.#progress.removeAttribute("value");
    else this.#progress.value = progress;
    this.showMessage(message);
    this.say(STEP_NAMES[step] ?? "");
  }

  /** What happens in the step that runs. */
  showMessage(message: string): void {
    if (this.#message.textContent !== message) this.#message.textContent = message;
  }

  showRefusal({ message, canRepeat, canMark }: Refusal): void {
    this.#refusal.textContent = message;
    this.#repeat.hidden = !canRepeat;
    this.#mark.hidden = !canMark;
    this.show("refused");
  }

  showMarking(reason: string, page: string): void {
    this.#markingReason.textContent = reason;
    this.show("marking");
    this.#marks.src = page;
  }

  showAvatar({ code, name, page, modelUrl, notes }: TalkingAvatar): void {
    this.#note.hidden = notes.length === 0;
    this.#note.textContent = notes.join(" ");
    this.#code.textContent = code;
    this.#download.hidden = modelUrl === null;
    if (modelUrl !== null) this.#download.href = modelUrl;
    this.#shareRow.hidden = true;
    this.showSpeakingProblem("");
    this.show("talking");
    this.#avatar.title = `${name}, your avatar`;
    this.#avatar.src = page;
    this.say(`${name} is ready.`);
  }

  /** Shows a link to share, selected for copying, with what was done about it. */
  showShare(link: string, hint: string): void {
    this.#shareRow.hidden = false;
    this.#shareLink.value = link;
    this.#shareHint.textContent = hint;
    this.#shareLink.select();
  }

  showSpeakingProblem(message: string): void {
    this.#talkingWrong.textContent = message;
  }

  /** Tells users of screen readers. */
  say(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }
}

/** Where the focus goes when a state is shown. */
const FIRST_CONTROL: Partial<Record<HomeState, string>> = {
  access: "secret",
  empty: "choose",
  chosen: "make",
  making: "cancel",
  refused: "refused-another",
};

function readChoices(): Choices {
  const chosen = document.querySelector<HTMLInputElement>('input[name="shape"]:checked')?.value;
  const character = findElement("character", HTMLInputElement).value.trim();
  const voice = VOICES[findElement("voice", HTMLSelectElement).value];
  return {
    shape: SHAPES.find((shape) => shape === chosen) ?? SHAPES[0],
    prompt: [character && asSentence(character), voice].filter(Boolean).join(" "),
  };
}

/** "Vera, a guide" becomes "You are Vera, a guide."; sentences stay as they are. */
function asSentence(text: string): string {
  const sentence = /^(you|i)\b/i.test(text) ? text : `You are ${text}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function onSubmit(form: HTMLFormElement, act: () => void): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

function onClick(button: Element, act: () => void): void {
  button.addEventListener("click", () => act());
}
