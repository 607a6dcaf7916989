// The chat: a button in a corner, a teaser beside it, a bar at the top of the window, and the panel that they open.
import { cornerOf } from "./floating-view.ts";
import { closeOnEscape, FaceBox, type FormView, MuteButton, type ViewOptions } from "./form-view.ts";
import { facePicture, icon, iconButton, LABEL, make } from "./make-element.ts";

export class ChatView implements FormView {
  readonly box = new FaceBox();
  readonly parts: readonly HTMLElement[];
  readonly #options: ViewOptions;
  readonly #dock: HTMLElement;
  readonly #launch: HTMLButtonElement;
  readonly #panel: HTMLElement;
  readonly #title = make("h2");
  readonly #label = make("p", { class: "label" }, LABEL);
  readonly #mute: MuteButton;
  readonly #close: HTMLButtonElement;
  readonly #teaser: HTMLElement | undefined;
  readonly #banner: HTMLElement | undefined;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(options: ViewOptions) {
    const { settings, picture: address, actions, styles } = options;
    this.#options = options;
    const [y, x] = cornerOf(options).split("-");
    const place = { "data-x": x, "data-y": y };
    styles.set("x", settings.number("margin"));
    styles.set("y", settings.number("margin"));
    styles.set("fab", settings.number("fabSize"));
    styles.set("open", settings.number("expandedWidth"));
    this.#launch = launchButton(options);
    this.#launch.addEventListener("click", () => actions.open());
    this.#teaser = settings.flag("teaserEnabled") ? this.#makeTeaser() : undefined;
    this.#banner = settings.flag("topBanner") ? this.#makeBanner() : undefined;
    this.#dock = make("div", { class: "dock", ...place }, this.#teaser, this.#launch);
    this.#mute = new MuteButton(actions);
    this.#close = iconButton("tool", "Close", icon("close"), () => actions.close());
    const words = make("div", { class: "words" }, this.#title, this.#label);
    const picture = facePicture(address, icon("chat"));
    const head = make("header", { class: "head" }, picture, words, this.#mute.element, this.#close);
    this.#panel = make(
      "section",
      { class: "panel", role: "dialog", hidden: true, ...place },
      head,
      this.box.element,
      this.box.notice,
    );
    closeOnEscape(this.#panel, actions);
    this.parts = [...(this.#banner ? [this.#banner] : []), this.#dock, this.#panel];
    this.showName("");
  }

  showOpen(isOpen: boolean, byVisitor: boolean): void {
    this.#dock.hidden = isOpen;
    this.#panel.hidden = !isOpen;
    this.#launch.removeAttribute("data-pulse");
    if (isOpen) {
      this.#teaser?.remove();
      this.#banner?.remove();
    }
    if (byVisitor) (isOpen ? this.#close : this.#launch).focus();
  }

  showMuted(isMuted: boolean): void {
    this.#mute.show(isMuted);
  }

  showName(name: string): void {
    const title = this.#options.settings.text("headerTitle") || name || "Chat";
    this.#title.textContent = title;
    this.#panel.setAttribute("aria-label", title);
  }

  /** The header has room for it at every size, so it stands there as well as in the page. */
  showLabel(): void {
    this.#label.hidden = false;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #makeTeaser(): HTMLElement {
    const { settings, actions } = this.#options;
    const text = make("button", { type: "button" }, settings.text("teaserMessage"));
    text.addEventListener("click", () => actions.open());
    const close = iconButton("tool", "Hide this message", icon("close"), () => teaser.remove());
    const teaser = make("div", { class: "teaser", role: "status", hidden: true }, text, close);
    const delayMs = settings.number("teaserDelay");
    const hideMs = settings.number("teaserAutoHide");
    const later = (work: () => void, afterMs: number) => this.#timers.push(setTimeout(work, afterMs));
    later(() => {
      teaser.hidden = false;
    }, delayMs);
    // Not under the visitor's hand.
    const hide = () => {
      if (teaser.matches(":hover, :focus-within")) later(hide, hideMs);
      else teaser.remove();
    };
    if (hideMs > 0) later(hide, delayMs + hideMs);
    return teaser;
  }

  #makeBanner(): HTMLElement {
    const { settings, actions } = this.#options;
    const questions = settings.texts("topBannerQuestions").map((question) => {
      const chip = make("button", { class: "chip", type: "button" }, question);
      chip.addEventListener("click", () => actions.open(question));
      return chip;
    });
    if (questions.length === 0) {
      const chip = make("button", { class: "chip", type: "button" }, settings.text("fabText") || "Chat");
      chip.addEventListener("click", () => actions.open());
      questions.push(chip);
    }
    const text = settings.text("topBannerText");
    const close = iconButton("tool", "Hide this bar", icon("close"), () => banner.remove());
    const words = make("div", { class: "words" }, make("p", {}, text));
    const banner = make("div", { class: "banner", role: "region", "aria-label": text }, words, ...questions, close);
    return banner;
  }
}

function launchButton({ settings, picture }: ViewOptions): HTMLButtonElement {
  const style = settings.text("fabStyle");
  const text = settings.text("fabText");
  const subtext = settings.text("fabSubtext");
  const isRound = style === "circle" || text === "";
  return make(
    "button",
    {
      class: `launch ${isRound ? "circle" : style}`,
      type: "button",
      "data-pulse": settings.flag("attentionPulse"),
      "aria-haspopup": "dialog",
      "aria-label": isRound ? text || "Chat" : false,
    },
    facePicture(picture, icon("chat")),
    isRound
      ? undefined
      : make(
          "span",
          { class: "words" },
          make("span", {}, text),
          subtext ? make("span", { class: "sub" }, subtext) : undefined,
        ),
  );
}
