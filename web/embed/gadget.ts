// The page inside a widget: what it tells the site's page around it, and what it hears from there. It listens to one
// window and one origin, which the fragment of its address names.
import {
  CAPTION_MAX_CHARACTERS,
  type HostMessage,
  type PageMessage,
  packMessage,
  readHostMessage,
  readHostOrigin,
} from "../../shared/widget-messages.ts";
import type { AvatarAttributes } from "./avatar-room.ts";
import { type Credential, expired, renewable } from "./credential.ts";
import type { Notice } from "./plain-words.ts";
import type { SpokenWords } from "./transcript.ts";

/** To get a token, a site may ask its own server. */
const TOKEN_TIMEOUT_MS = 30_000;
/** A smaller frame has no room for the label; the widget shows it beside the frame. */
const LABEL_MIN_PX = 120;

export interface GadgetActions {
  onMessage(message: HostMessage): void;
}

export class Gadget {
  readonly #origin: string;
  /** Takes a token that comes without a question. */
  #giveToken: (token: string) => void = () => undefined;
  #onToken: ((token: string) => void) | undefined;
  #isSpeaking = false;
  #size = "";

  /** The gadget of this page; undefined if no widget shows it. */
  static open(actions: GadgetActions): Gadget | undefined {
    const origin = readHostOrigin(location.hash);
    if (origin === undefined || window.parent === window) return undefined;
    // Where the browser tells who is around the page, it has to be the one that the address names.
    const [around] = location.ancestorOrigins ?? [];
    return around === undefined || around === origin ? new Gadget(origin, actions) : undefined;
  }

  private constructor(origin: string, { onMessage }: GadgetActions) {
    this.#origin = origin;
    window.addEventListener("message", (event) => {
      const message = readHostMessage(event, { window: window.parent, origin });
      if (message?.type === "token") (this.#onToken ?? this.#giveToken)(message.token);
      else if (message) onMessage(message);
    });
  }

  send(message: PageMessage): void {
    window.parent.postMessage(packMessage(message), this.#origin);
  }

  /** Tokens of the site. `first`: the one of the page's address. */
  credential(first: string | undefined): Credential {
    const tokens = renewable(first, (reason) => this.#askForToken(reason));
    this.#giveToken = tokens.give;
    return tokens;
  }

  #askForToken(reason: "missing" | "expired"): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(expired()), TOKEN_TIMEOUT_MS);
      this.#onToken = (token) => {
        clearTimeout(timer);
        resolve(token);
      };
      this.send({ type: "need-token", reason });
    }).finally(() => {
      this.#onToken = undefined;
    });
  }

  showAvatar({ agentState }: Partial<AvatarAttributes>): void {
    const isSpeaking = agentState === "speaking";
    if (isSpeaking === this.#isSpeaking) return;
    this.#isSpeaking = isSpeaking;
    this.send({ type: "speaking", isSpeaking });
  }

  showWords({ speaker, segmentId, text, isFinal }: SpokenWords): void {
    this.send({
      type: "caption",
      speaker,
      segmentId: segmentId.slice(0, 200),
      text: text.slice(0, CAPTION_MAX_CHARACTERS),
      isFinal,
    });
  }

  showEnd({ title, text, retryS }: Notice): void {
    this.showAvatar({});
    this.send({
      type: "ended",
      reason: "ended",
      message: `${title}. ${text}`.slice(0, 500),
      retries: retryS !== undefined,
    });
  }

  showError(code: string, message: string): void {
    this.send({ type: "error", code: code.slice(0, 60), message: message.slice(0, 500) });
  }

  /** Width by height of the face, and whether it is labelled. */
  showSize(ratio: number, hasLabel: boolean): void {
    const isSmall = Math.min(innerWidth, innerHeight) < LABEL_MIN_PX;
    const label = hasLabel ? (isSmall ? "host" : "page") : "none";
    if (!(ratio >= 0.1 && ratio <= 10) || this.#size === `${ratio} ${label}`) return;
    this.#size = `${ratio} ${label}`;
    this.send({ type: "size", ratio, label });
  }
}
