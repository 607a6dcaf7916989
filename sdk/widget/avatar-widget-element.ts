// `<avatar-widget>`: a face in a page, as a floating face, a chat or an element that the page sizes.
import { ACCENT_NAMES } from "../../shared/accents.ts";
import type { HostMessage, PageMessage } from "../../shared/widget-messages.ts";
import { SAY_MAX_CHARACTERS, WIDGET_THEMES } from "../../shared/widget-messages.ts";
import { ChatView } from "./chat-view.ts";
import { FaceFrame, type GetToken } from "./face-frame.ts";
import { FloatingView } from "./floating-view.ts";
import type { FormView, ViewOptions } from "./form-view.ts";
import { frameAddress, posterAddress } from "./frame-address.ts";
import { InlineView } from "./inline-view.ts";
import { make } from "./make-element.ts";
import { scriptAddress } from "./script-address.ts";
import type { WidgetEventMap, WidgetInit } from "./widget-init.ts";
import { OPTION_ATTRIBUTES, optionOf, WidgetSettings } from "./widget-options.ts";
import { OwnStyles, widgetStyles } from "./widget-styles.ts";

// Servers render pages without a DOM.
const ElementBase = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

const VIEWS = { floating: FloatingView, chat: ChatView, inline: InlineView } as const;
/** Attributes that change without a new frame. */
const LIVE_ATTRIBUTES = ["theme", "theme-color", "token"];
/** Texts that wait until the avatar is there. */
const MAX_WAITING = 10;

/** The element. Its events carry what WidgetEventMap says in `detail`. */
export class AvatarWidgetElement extends ElementBase {
  static readonly observedAttributes = OPTION_ATTRIBUTES;
  /** Options that a script gave; attributes win. */
  #given: Readonly<WidgetInit> = {};
  #getToken: GetToken | undefined;
  #settings: WidgetSettings | undefined;
  #view: FormView | undefined;
  #root: HTMLElement | undefined;
  #frame: FaceFrame | undefined;
  #waiting: HostMessage[] = [];
  #isLive = false;
  #isOpen = false;
  #isMuted = false;
  #isStale = false;
  #wasConnected = false;
  #theme: { theme?: string; colour?: string } = {};
  readonly #warned = new Set<string>();

  /** All options at once, as `init` takes them. Options that are attributes as well have the attributes' values. */
  get options(): Readonly<WidgetInit> {
    return this.#given;
  }
  set options(options: Readonly<WidgetInit>) {
    this.#given = { ...options };
    this.#getToken = options.getToken ?? this.#getToken;
    this.#rebuildLater();
  }

  /** Returns an embed token; called at the start, and when one has expired. Null: none is needed, or `token` has it. */
  get getToken(): GetToken | null {
    return this.#getToken ?? null;
  }
  set getToken(getToken: GetToken | null) {
    this.#getToken = getToken ?? undefined;
  }

  /** Shows the face and begins a conversation. Does nothing if it is open. */
  open(): void {
    this.#open(false);
  }

  /** Ends the conversation. Does nothing if it is closed. */
  close(): void {
    this.#close(false);
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  /** Lets the avatar say a text of at most 500 characters, or asks it something (`ask`) as a
   *  visitor who types. Opens the widget. Longer texts are cut. */
  say(text: string, mode: "say" | "ask" = "say"): void {
    const message = { type: "say", text: String(text).slice(0, SAY_MAX_CHARACTERS), mode } as const;
    if (message.text.trim() === "") return;
    if (this.#isLive) this.#frame?.send(message);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(message);
    this.#open(false);
  }

  /** Silences the avatar's voice, or lets it be heard. */
  mute(isMuted = true): void {
    this.#isMuted = isMuted === true;
    this.#view?.showMuted(this.#isMuted);
    this.#frame?.send({ type: "mute", isMuted: this.#isMuted });
  }

  /** Changes the theme (light, dark, auto) and the colour of buttons (`themeColor`). Other values change nothing. */
  setTheme(theme: string, colour?: string): void {
    const known = { theme, colour };
    if (!(WIDGET_THEMES as readonly string[]).includes(theme)) {
      this.#warn("There is no theme of this name.");
      return;
    }
    if (colour !== undefined && !(ACCENT_NAMES as readonly string[]).includes(colour)) delete known.colour;
    this.#theme = { ...this.#theme, ...known };
    this.#showTheme();
    if (this.#settings && this.#frame) this.#frame.send(this.#themeMessage(this.#settings));
  }

  /** Closes it and takes it out of the page. */
  destroy(): void {
    this.#close(false);
    this.remove();
    this.dispatchEvent(new Event("destroy"));
  }

  connectedCallback(): void {
    this.#wasConnected = true;
    if (!this.#view) this.#build();
    // It was removed while it was open, and is back.
    else if (this.#isOpen && !this.#frame) this.#start();
  }

  disconnectedCallback(): void {
    // Until the end of this task it may only be moving to another place; the browser loads the frame again then.
    queueMicrotask(() => {
      if (this.isConnected) return;
      if (this.#frame) this.#leave({ reason: "removed", message: "The widget was removed.", retries: false });
      if (!this.#isOpen) this.#dismantle();
    });
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value || !this.#wasConnected) return;
    if (!LIVE_ATTRIBUTES.includes(name)) {
      this.#rebuildLater();
      return;
    }
    this.#settings = this.#readSettings();
    if (name === "token") {
      if (value && this.#frame) this.#frame.send({ type: "token", token: value });
      return;
    }
    this.#theme = {};
    this.#showTheme();
    this.#frame?.send(this.#themeMessage(this.#settings));
  }

  // Typed events: `live`, `caption` and so on carry their details.
  declare addEventListener: <Type extends string>(
    type: Type,
    listener: (
      this: AvatarWidgetElement,
      event: Type extends keyof WidgetEventMap ? CustomEvent<WidgetEventMap[Type]> : Event,
    ) => unknown,
    options?: boolean | AddEventListenerOptions,
  ) => void;

  #readSettings(): WidgetSettings {
    const { getToken: _, container: __, ...given } = this.#given;
    const attributes = [...this.attributes]
      .filter(({ name }) => OPTION_ATTRIBUTES.includes(name))
      .map(({ name, value }) => [optionOf(name), value]);
    const byDefault = { form: "inline", serviceUrl: scriptAddress() } as const;
    return new WidgetSettings({ ...given, ...Object.fromEntries(attributes) }, byDefault, (text) => this.#warn(text));
  }

  #build(): void {
    const settings = this.#readSettings();
    this.#settings = settings;
    if (settings.text("agentId") === "" || settings.serviceUrl === "") {
      this.#warn(`The widget needs ${settings.serviceUrl === "" ? "serviceUrl" : "agentId"}, and shows nothing.`);
      return;
    }
    const isInline = settings.form === "inline";
    const styles = new OwnStyles(isInline);
    styles.set("z", settings.text("zIndex"));
    const isRightToLeft = getComputedStyle(this).direction === "rtl";
    const options: ViewOptions = {
      settings,
      picture: settings.text("imageUrl") || (this.#needsToken(settings) ? "" : posterAddress(settings)),
      styles,
      isRightToLeft,
      actions: {
        open: (question) => {
          if (question !== undefined) this.say(question, "ask");
          this.#open(true);
        },
        close: () => this.#close(true),
        setMuted: (isMuted) => this.mute(isMuted),
      },
    };
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [widgetStyles(), styles.sheet];
    this.#view = new VIEWS[settings.form](options);
    this.#root = make(
      "div",
      {
        class: `root ${settings.form}`,
        dir: isRightToLeft ? "rtl" : "ltr",
        "data-shape": settings.text("frameStyle"),
        "data-transparent": settings.flag("transparent") && settings.form === "floating",
      },
      ...this.#view.parts,
    );
    this.#showTheme();
    this.#view.showMuted(this.#isMuted);
    shadow.replaceChildren(this.#root);
    if (this.#isOpen) this.#show(false);
    else if (settings.flag("autoLoad")) onPageLoaded(() => this.isConnected && this.#open(false));
  }

  #needsToken(settings: WidgetSettings): boolean {
    return settings.text("token") !== "" || this.#getToken !== undefined;
  }

  #dismantle(): void {
    this.#view?.close();
    this.#view = undefined;
    this.shadowRoot?.replaceChildren();
  }

  /** After all attributes of this task have changed. */
  #rebuildLater(): void {
    if (this.#isStale || !this.#wasConnected) return;
    this.#isStale = true;
    queueMicrotask(() => {
      this.#isStale = false;
      if (this.#frame) this.#leave({ reason: "options", message: "The widget's options changed.", retries: false });
      this.#dismantle();
      if (this.isConnected) this.#build();
    });
  }

  #open(byVisitor: boolean): void {
    if (this.#isOpen || (this.isConnected && !this.#view)) return;
    this.#isOpen = true;
    if (this.isConnected) this.#show(byVisitor);
  }

  #show(byVisitor: boolean): void {
    this.#view?.showOpen(true, byVisitor);
    this.#start();
  }

  #start(): void {
    const settings = this.#settings;
    const view = this.#view;
    if (!settings || !view) return;
    const frame = new FaceFrame({
      address: (place) =>
        frameAddress(settings, {
          needsToken: this.#needsToken(settings),
          hostOrigin: location.origin,
          language: document.documentElement.lang,
          place,
        }),
      title: "Avatar",
      getToken: this.#getToken,
      init: () => this.#initMessage(settings),
      onMessage: (message) => this.#hear(message, view),
      onFailed: (code, message) => {
        view.box.showNotice(message, () => this.#restart());
        this.#tell("error", { code, message });
      },
    });
    this.#frame = frame;
    view.showLabel(true);
    view.box.setFrame(frame.element);
  }

  #restart(): void {
    this.#frame?.close();
    this.#start();
  }

  #close(byVisitor: boolean): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#waiting = [];
    if (this.#frame) this.#leave({ reason: "closed", message: "The conversation was closed.", retries: false });
    this.#view?.showOpen(false, byVisitor);
    if (!this.isConnected) this.#dismantle();
  }

  /** Ends the conversation of the frame. */
  #leave(detail: WidgetEventMap["ended"]): void {
    const wasLive = this.#isLive;
    this.#isLive = false;
    const frame = this.#frame;
    this.#frame = undefined;
    frame?.end();
    this.#view?.box.setFrame(undefined);
    if (wasLive) this.#tell("ended", detail);
  }

  #hear(message: PageMessage, view: FormView): void {
    const { type, ...detail } = message;
    switch (message.type) {
      case "ready":
        view.box.reveal();
        break;
      case "live":
        this.#isLive = true;
        view.showName(message.agentName);
        if (this.#frame) this.#frame.element.title = message.agentName;
        for (const waiting of this.#waiting.splice(0)) this.#frame?.send(waiting);
        break;
      case "size":
        view.showLabel(message.label === "host");
        return;
      case "ended":
        this.#isLive = false;
        break;
    }
    if (type !== "size") this.#tell(type as keyof WidgetEventMap, detail as never);
  }

  #initMessage(settings: WidgetSettings): HostMessage {
    return {
      type: "init",
      form: settings.form,
      isMuted: this.#isMuted,
      title: settings.text("headerTitle"),
      allowsModeSwitch: settings.flag("allowModeSwitch"),
      isTransparent: settings.flag("transparent") && settings.form === "floating",
      keyColour: settings.text("keyColor"),
      keySimilarity: settings.number("keySimilarity"),
      keySmoothness: settings.number("keySmoothness"),
      keySpill: settings.number("keySpill"),
      keyErode: settings.number("keyErode"),
    };
  }

  #themeMessage(settings: WidgetSettings): HostMessage {
    const { theme = settings.text("theme"), colour = settings.text("themeColor") } = this.#theme;
    return { type: "theme", theme, colour } as HostMessage;
  }

  #showTheme(): void {
    if (!this.#root || !this.#settings) return;
    const { theme = this.#settings.text("theme"), colour = this.#settings.text("themeColor") } = this.#theme;
    this.#root.dataset.theme = theme;
    this.#root.dataset.colour = colour;
  }

  #tell<Type extends keyof WidgetEventMap>(type: Type, detail: WidgetEventMap[Type]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Each line once. */
  #warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    console.warn(`[avatar-widget] ${text}`);
  }
}

function onPageLoaded(work: () => void): void {
  // A framework that makes the element sets its properties in the same task.
  if (document.readyState === "complete") setTimeout(work);
  else window.addEventListener("load", work, { once: true });
}
