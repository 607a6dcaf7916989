// What the three forms of the widget have in common.
import { icon, iconButton, make } from "./make-element.ts";
import type { WidgetSettings } from "./widget-options.ts";
import type { OwnStyles } from "./widget-styles.ts";

/** What a visitor does. */
export interface ViewActions {
  /** `question`: is asked once the avatar is there. */
  open(question?: string): void;
  close(): void;
  setMuted(isMuted: boolean): void;
}

export interface ViewOptions {
  settings: WidgetSettings;
  /** Address of the picture of the face; empty if there is none. */
  picture: string;
  actions: ViewActions;
  /** Receives sizes and places. */
  styles: OwnStyles;
  isRightToLeft: boolean;
}

/** The controls of one form around the frame. */
export interface FormView {
  /** What the shadow root holds. */
  readonly parts: readonly HTMLElement[];
  /** Where the frame and its notices are. */
  readonly box: FaceBox;
  /** Called before the frame is put into the box, and after it has left. `byVisitor`: move the focus. */
  showOpen(isOpen: boolean, byVisitor: boolean): void;
  showMuted(isMuted: boolean): void;
  showName(name: string): void;
  /** Whether the label belongs beside the frame, because the page in it shows none. */
  showLabel(isShown: boolean): void;
  /** Ends timers and listeners. */
  close(): void;
}

/** Silences the avatar's voice, or lets it be heard. */
export class MuteButton {
  readonly element: HTMLButtonElement;

  constructor({ setMuted }: Pick<ViewActions, "setMuted">) {
    this.element = iconButton("tool", "Mute", icon("sound"), () =>
      setMuted(this.element.getAttribute("aria-pressed") !== "true"),
    );
    this.show(false);
  }

  show(isMuted: boolean): void {
    this.element.setAttribute("aria-pressed", String(isMuted));
    this.element.replaceChildren(icon(isMuted ? "silent" : "sound"));
  }
}

/** Escape closes the widget. */
export function closeOnEscape(element: HTMLElement, { close }: Pick<ViewActions, "close">): void {
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
}

/** The box of the frame, with a line for notices. */
export class FaceBox {
  readonly element = make("div", { class: "face" });
  readonly notice = make("p", { class: "notice", role: "status" });

  /** Puts a frame into the box, which shows that it waits for it. Frames leave by themselves. */
  setFrame(frame: HTMLIFrameElement | undefined): void {
    if (frame) this.element.append(frame);
    this.element.toggleAttribute("data-waits", frame !== undefined);
    this.showNotice("");
  }

  /** Shows the frame. */
  reveal(): void {
    this.element.removeAttribute("data-waits");
    this.showNotice("");
  }

  /** Shows a line, with a button to try again. Empty: none. */
  showNotice(text: string, retry?: () => void): void {
    this.notice.replaceChildren(text);
    if (text !== "") this.element.removeAttribute("data-waits");
    if (!retry) return;
    const button = make("button", { type: "button" }, "Try again");
    button.addEventListener("click", retry);
    this.notice.append(button);
  }
}
