// The frame of the embed page, and the messages between it and the widget.
import {
  type HostMessage,
  type PageMessage,
  packMessage,
  readPageMessage,
  TOKEN_MAX_CHARACTERS,
} from "../../shared/widget-messages.ts";

/** Returns an embed token. */
export type GetToken = () => string | Promise<string>;

export interface FaceFrameOptions {
  /** `place`: a number that no other open frame of the page has, from 0. */
  address(place: number): string;
  /** Accessible name of the frame. */
  title: string;
  /** Called when the page needs a token. Undefined: the site gave one, or none is needed. */
  getToken: GetToken | undefined;
  /** What the page is told first. */
  init(): HostMessage;
  onMessage(message: PageMessage): void;
  /** The page sent nothing: it is blocked, or the service is not there. Or there is no token. */
  onFailed(code: "FRAME_SILENT" | "TOKEN_MISSING" | "TOKEN_EXPIRED", message: string): void;
}

/** After this long a frame without a message counts as blocked. */
const SILENCE_MS = 15_000;
/** A site may answer with tokens that the service refuses, again and again: the page is given this many of them. */
const MAX_TOKENS = 5;
const TOKENS_WINDOW_MS = 60_000;
/** Of the frames that are open. */
const places = new Set<number>();
/** A page that was told to end leaves its room within this time. */
const END_MS = 1_000;
/** Messages that wait for the page. */
const MAX_WAITING = 20;

/** Reads nothing but messages of its own frame and its page's origin, and posts to that origin alone. */
export class FaceFrame {
  readonly element = document.createElement("iframe");
  readonly #options: FaceFrameOptions;
  readonly #origin: string;
  readonly #silence: ReturnType<typeof setTimeout>;
  readonly #place: number;
  #waiting: HostMessage[] = [];
  #isReady = false;
  #isEnding = false;
  #isClosed = false;
  #tokenTimes: number[] = [];

  constructor(options: FaceFrameOptions) {
    this.#options = options;
    this.#place = takePlace();
    const address = options.address(this.#place);
    this.#origin = new URL(address).origin;
    this.element.title = options.title;
    this.element.allow = "microphone *; camera *; autoplay *";
    this.element.src = address;
    window.addEventListener("message", this.#receive);
    this.#silence = setTimeout(() => options.onFailed("FRAME_SILENT", "The avatar cannot be reached."), SILENCE_MS);
  }

  /** Sends a message, once the page listens. */
  send(message: HostMessage): void {
    if (this.#isReady) this.element.contentWindow?.postMessage(packMessage(message), this.#origin);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(message);
  }

  /** Hides the frame, lets the page leave its room, and takes the frame out of the page. May be repeated. */
  end(): void {
    if (!this.#isReady || !this.element.isConnected) {
      this.close();
      return;
    }
    this.send({ type: "end" });
    places.delete(this.#place);
    this.#isEnding = true;
    this.element.hidden = true;
    setTimeout(() => this.close(), END_MS);
  }

  /** Takes the frame out of the page at once. May be repeated. */
  close(): void {
    if (!this.#isEnding) places.delete(this.#place);
    this.#isClosed = true;
    clearTimeout(this.#silence);
    window.removeEventListener("message", this.#receive);
    this.element.remove();
  }

  readonly #receive = (event: MessageEvent): void => {
    const message = readPageMessage(event, { window: this.element.contentWindow, origin: this.#origin });
    if (message === undefined) return;
    clearTimeout(this.#silence);
    if (this.#isEnding) {
      if (message.type === "ended") this.close();
      return;
    }
    if (message.type === "ready") this.#start();
    if (message.type === "need-token") void this.#giveToken(message.reason);
    else this.#options.onMessage(message);
  };

  #start(): void {
    this.#isReady = true;
    this.send(this.#options.init());
    for (const message of this.#waiting.splice(0)) this.send(message);
  }

  async #giveToken(reason: "missing" | "expired"): Promise<void> {
    const fail = () => {
      if (reason === "expired") this.#options.onFailed("TOKEN_EXPIRED", "This conversation needs a new token.");
      else this.#options.onFailed("TOKEN_MISSING", "This conversation could not be started.");
    };
    const { getToken } = this.#options;
    const nowMs = performance.now();
    this.#tokenTimes = this.#tokenTimes.filter((timeMs) => timeMs > nowMs - TOKENS_WINDOW_MS);
    if (!getToken || this.#tokenTimes.length >= MAX_TOKENS) return fail();
    this.#tokenTimes.push(nowMs);
    try {
      const token: unknown = await getToken();
      if (this.#isClosed) return;
      const isToken = typeof token === "string" && token !== "" && token.length <= TOKEN_MAX_CHARACTERS;
      if (isToken) this.send({ type: "token", token });
      else fail();
    } catch (error) {
      console.warn("[avatar-widget] getToken failed.", error);
      if (!this.#isClosed) fail();
    }
  }
}

function takePlace(): number {
  let place = 0;
  while (places.has(place)) place += 1;
  places.add(place);
  return place;
}
