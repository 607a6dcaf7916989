// The one component that shows a face: the picture in its mat, a ring that says what the avatar does, its name, and
// below the picture the caption, a notice, and what the page adds. Nothing but the face lies on the picture.
//
// It fills `host`, which needs a height of its own. Its styles are stage.css; the size of the picture follows from the
// host's size and the picture's shape alone, never from what is said.
import { element } from "../element.ts";

/** What moves: a stream or film in a video element, or frames that the tab renders on a canvas. */
export type StageFace = HTMLVideoElement | HTMLCanvasElement;

/** What the ring and the word beside the name say. `waiting`: it is being connected or made. `idle`: it is there and
 *  silent. `listening`: the ring follows `setLevel`. `lost`: the connection is being restored. `away`: there is none.
 */
export type StageState = "waiting" | "idle" | "listening" | "thinking" | "speaking" | "lost" | "away";

/** What the stage says itself. */
export interface StageTexts {
  states: Readonly<Record<StageState, string>>;
  /** The face, for screen readers: without and with its name. */
  face: string;
  faceOf(name: string): string;
  /** That the face is generated. */
  generated: string;
}

export interface StageOptions {
  /** Where the stage goes, an element with a height of its own. */
  host: HTMLElement;
  /** Default: a video element without sound, `stage.face`. */
  face?: StageFace;
  /** Default: English. */
  texts?: StageTexts;
  /** Level of the name's heading. Default 2. */
  heading?: 1 | 2;
  /** What to know about the avatar: in the caption's place while there is none. */
  about?: HTMLElement;
  /** Buttons in a row below the name: "Tap to hear", gestures. */
  actions?: HTMLElement;
  /** What was said: beside the face where there is room, else below it, where it takes the caption's place. It scrolls
   *  itself. */
  transcript?: HTMLElement;
  /** Where the visitor talks and types: below everything. */
  composer?: HTMLElement;
}

/** A message below the face: what happened, and what to do next. */
export interface StageNotice {
  title: string;
  text?: string;
  /** More below the text, such as a countdown; screen readers are told of the title and the text only. */
  body?: HTMLElement;
  actions?: readonly StageAction[];
}

export interface StageAction {
  label: string;
  /** Whether it is the one to take. */
  isMain?: boolean;
  act(): void;
}

const ENGLISH: StageTexts = {
  states: {
    waiting: "Connecting",
    idle: "",
    listening: "Listening",
    thinking: "Thinking",
    speaking: "Speaking",
    lost: "Reconnecting",
    away: "",
  },
  face: "Talking face",
  faceOf: (name) => `Talking face of ${name}`,
  generated: "AI-generated face",
};
/** States that screen readers are told of. The others change with every sentence. */
const ANNOUNCED: readonly StageState[] = ["waiting", "lost"];

export class Stage {
  readonly root = element("div", { className: "stage" });
  readonly #texts: StageTexts;
  readonly #picture = element("div", { className: "stage-picture" });
  readonly #poster = element("img", { className: "stage-poster", alt: "", hidden: true });
  readonly #name: HTMLHeadingElement;
  readonly #disclosure: HTMLElement;
  readonly #state = element("p", { className: "stage-state", ariaHidden: "true" });
  readonly #announced = element("p", { className: "hidden", role: "status" });
  // Screen readers hear the avatar and read the transcript.
  readonly #caption = element("p", { className: "stage-caption", ariaHidden: "true" });
  readonly #noticeWords = element("div", { role: "alert" });
  readonly #notice = element("div", { className: "stage-notice", hidden: true }, this.#noticeWords);
  readonly #transcript: HTMLElement | undefined;
  #face: StageFace;
  #drawn: HTMLCanvasElement | undefined;
  #onPicture: () => void = () => undefined;
  /** Of the face that the poster stands for, if the page knows it. */
  #ratio: number | undefined;

  constructor({ host, face, texts = ENGLISH, heading = 2, about, actions, transcript, composer }: StageOptions) {
    this.#texts = texts;
    this.#disclosure = element("p", { className: "stage-disclosure", hidden: true }, texts.generated);
    this.#face = face ?? element("video");
    this.#name = element(`h${heading}`, { className: "stage-name", hidden: true });
    this.#transcript = transcript;
    this.#poster.addEventListener("load", () => {
      // The face knows better, once it is there.
      if (!this.isAlive) this.setRatio(this.#ratio ?? this.#poster.naturalWidth / this.#poster.naturalHeight);
      this.#onPicture();
    });
    this.#poster.addEventListener("error", () => this.showPoster(undefined));
    this.#showFace();
    about?.classList.add("stage-about");
    actions?.classList.add("stage-actions");
    transcript?.classList.add("stage-transcript");
    composer?.classList.add("stage-composer");
    const silhouette = element("div", { className: "stage-empty", ariaHidden: "true" });
    this.#picture.append(silhouette, this.#poster, this.#face);
    this.root.append(
      element(
        "div",
        { className: "stage-grid" },
        element("div", { className: "stage-mat" }, this.#picture),
        element("div", { className: "stage-label" }, this.#name, this.#disclosure, this.#state, this.#announced),
        actions,
        element("div", { className: "stage-words" }, this.#caption, about, this.#notice),
        transcript,
        composer,
      ),
    );
    host.append(this.root);
    this.root.dataset.face = "poster";
    this.root.dataset.transcript = "auto";
    this.setState("idle");
    this.showCaption(undefined);
  }

  /** What moves, or will. */
  get face(): StageFace {
    return this.#face;
  }

  /** Whether the face is shown, not the poster. */
  get isAlive(): boolean {
    return this.root.dataset.face === "alive";
  }

  /** What is seen: the face, or the poster before; undefined if that is not there. */
  get picture(): StageFace | HTMLImageElement | undefined {
    if (this.isAlive) return this.#face;
    return this.#poster.hidden || !this.#poster.complete ? undefined : this.#poster;
  }

  /** Lays a canvas over poster and face, for a drawing of `picture`, and calls `onPicture` whenever that is another
   *  one. The canvas is seen while `showDrawing` says so. Undefined takes it away. */
  drawOn(canvas: HTMLCanvasElement | undefined, onPicture: () => void = () => undefined): void {
    this.#drawn?.remove();
    this.#drawn = canvas;
    this.#onPicture = onPicture;
    if (!canvas) {
      this.showDrawing(false);
      return;
    }
    canvas.classList.add("stage-drawing");
    canvas.ariaHidden = "true";
    this.#picture.append(canvas);
  }

  /** Whether the canvas of `drawOn` is seen in the place of poster and face. */
  showDrawing(isShown: boolean): void {
    this.root.toggleAttribute("data-drawn", isShown);
  }

  /** Whether the visitor sees the transcript; captions are shown while it is folded. */
  get isTranscriptOpen(): boolean {
    return this.#transcript !== undefined && getComputedStyle(this.#transcript).display !== "none";
  }

  /** Width by height of the picture; 1 before it is known. */
  get ratio(): number {
    return Number(this.root.style.getPropertyValue("--ratio")) || 1;
  }

  /** Where the picture is, in px of the window. */
  get pictureBox(): DOMRect {
    return this.#picture.getBoundingClientRect();
  }

  /** The photograph of this avatar, under the face; undefined shows a silhouette. It stays until `reveal`. `ratio`:
   *  width by height of the face, where it is known before; a photograph of another shape is cut to it. */
  showPoster(url: string | undefined, ratio?: number): void {
    this.#ratio = ratio;
    if (ratio !== undefined && !this.isAlive) this.setRatio(ratio);
    this.#poster.hidden = url === undefined;
    if (url === undefined) this.#poster.removeAttribute("src");
    else if (this.#poster.getAttribute("src") !== url) this.#poster.src = url;
    this.#onPicture();
  }

  /** Another source of the face. The poster covers it until `reveal`. */
  setFace(face: StageFace): void {
    this.cover();
    this.#face.replaceWith(face);
    this.#face = face;
    this.#showFace();
    this.#onPicture();
  }

  /** Width by height of the picture. The stage finds it itself, in the poster and then in the face. */
  setRatio(ratio: number): void {
    if (ratio > 0 && Number.isFinite(ratio)) this.root.style.setProperty("--ratio", String(ratio));
  }

  /** The photograph comes to life: call it with the first frame of the face. */
  reveal(): void {
    if (this.isAlive) return;
    this.root.dataset.face = "alive";
    this.#onPicture();
  }

  /** Back to the photograph. */
  cover(): void {
    if (!this.isAlive) return;
    this.root.dataset.face = "poster";
    this.#onPicture();
  }

  setName(name: string): void {
    this.#name.textContent = name;
    // A heading says something, or is not there.
    this.#name.hidden = name === "";
    this.#face.setAttribute("aria-label", name === "" ? this.#texts.face : this.#texts.faceOf(name));
  }

  /** Whether to say that the face is generated. */
  setDisclosure(isShown: boolean): void {
    this.#disclosure.hidden = !isShown;
  }

  /** `words` replaces the usual word beside the name. */
  setState(state: StageState, words = this.#texts.states[state]): void {
    this.root.dataset.state = state;
    if (this.#state.textContent !== words) this.#state.textContent = words;
    const announced = ANNOUNCED.includes(state) ? words : "";
    if (this.#announced.textContent !== announced) this.#announced.textContent = announced;
  }

  /** Loudness of the visitor's microphone, 0 to 1, for the ring of a listening avatar. */
  setLevel(level: number): void {
    this.root.style.setProperty("--level", Math.min(1, Math.max(0, level)).toFixed(2));
  }

  /** What the avatar says now; undefined empties the line. */
  showCaption(text: string | undefined): void {
    this.#caption.hidden = text === undefined;
    this.#caption.textContent = text ?? "";
    // The newest words are the last ones.
    this.#caption.scrollTop = this.#caption.scrollHeight;
  }

  /** Puts a message below the face; undefined takes it away. */
  showNotice(notice: StageNotice | undefined): void {
    this.#notice.hidden = notice === undefined;
    const { title = "", text = "", body, actions = [] } = notice ?? {};
    this.#noticeWords.replaceChildren(
      ...(title ? [element("p", { className: "stage-notice-title" }, title)] : []),
      ...(text ? [element("p", {}, text)] : []),
    );
    const buttons = actions.map(({ label, isMain, act }) =>
      element("button", { type: "button", className: isMain ? "main" : "", onclick: act }, label),
    );
    this.#notice.replaceChildren(
      this.#noticeWords,
      ...(body ? [body] : []),
      ...(buttons.length > 0 ? [element("div", { className: "stage-notice-actions" }, ...buttons)] : []),
    );
  }

  /** `auto`: open beside the face, folded below it. */
  setTranscript(mode: "auto" | "open" | "folded"): void {
    this.root.dataset.transcript = mode;
  }

  #showFace(): void {
    const face = this.#face;
    face.classList.add("stage-face");
    face.setAttribute("aria-label", face.getAttribute("aria-label") ?? this.#texts.face);
    if (face instanceof HTMLCanvasElement) {
      face.setAttribute("role", "img");
      return;
    }
    face.muted = true;
    face.autoplay = true;
    face.playsInline = true;
    // Square, wide or tall.
    face.addEventListener("resize", () => {
      if (face === this.#face) this.setRatio(face.videoWidth / face.videoHeight);
    });
  }
}
