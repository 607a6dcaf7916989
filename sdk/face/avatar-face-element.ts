// `<avatar-face>`: shows an avatar that says what a voice says.
import { type Expression, NEUTRAL, parseExpression } from "../../shared/expressions.ts";
import { MANNERS, type Manner } from "../../shared/manners.ts";
import { FaceError } from "./face-error.ts";
import { type FaceSource, isRoom, voiceOf } from "./face-source.ts";
import { type FaceState, FaceView } from "./face-view.ts";
import type { LiveKitRoom, LiveKitTrack } from "./livekit-shapes.ts";
import { MicrophonePath } from "./microphone-path.ts";
import { wakePageAudio } from "./page-audio.ts";
import { RoomFeed } from "./room-feed.ts";
import { TabRenderer } from "./tab-renderer.ts";
import type { Voice } from "./voice.ts";
import { VoicePath } from "./voice-path.ts";
import { watchVisible } from "./watch-visible.ts";

const UNREADABLE = "This browser cannot give the audio to the face. It plays without it.";
const UNHEARD = "This browser cannot give the microphone to the face. The face does not react to it.";

// Servers render pages without a DOM.
const ElementBase = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** The element. It fires `ready` when the face shows, `statechange`, and `error` (an `ErrorEvent` with a `FaceError`)
 *  once for each thing that fails; the audio plays on without the face. */
export class AvatarFaceElement extends ElementBase {
  static readonly observedAttributes = ["src", "poster", "name", "muted", "captions", "emotion", "manner"];
  readonly #view: FaceView;
  readonly #calm: MediaQueryList;
  #renderer: TabRenderer | undefined;
  /** What the renderer draws on. */
  #canvas: HTMLCanvasElement | undefined;
  #path: VoicePath | undefined;
  #microphone: MediaStream | null = null;
  #microphonePath: MicrophonePath | undefined;
  #feed: RoomFeed | undefined;
  #source: FaceSource | null = null;
  #video: LiveKitTrack | undefined;
  #unwatch: (() => void) | undefined;
  #isVisible = false;
  #isShown = false;
  #gestures: readonly string[] = [];
  #error: FaceError | null = null;
  #state: FaceState = "empty";
  #isSpeaking = false;
  /** What the agent says of itself. */
  #toldState: FaceState | undefined;

  constructor() {
    super();
    this.#view = new FaceView(this.attachShadow({ mode: "open" }), () => this.play());
    this.#calm = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** Address of the avatar's file. Without one the element shows the video of a room. */
  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(src: string) {
    this.setAttribute("src", src);
  }

  /** Picture shown until the face moves. */
  get poster(): string {
    return this.getAttribute("poster") ?? "";
  }
  set poster(poster: string) {
    this.setAttribute("poster", poster);
  }

  /** Name of the person, for those who do not see the face. */
  get name(): string {
    return this.getAttribute("name") ?? "";
  }
  set name(name: string) {
    this.setAttribute("name", name);
  }

  /** Moves without being heard: for the visitor's own microphone. */
  get muted(): boolean {
    return this.hasAttribute("muted");
  }
  set muted(isMuted: boolean) {
    this.toggleAttribute("muted", isMuted);
  }

  /** What the face shows: `happy`, or with an intensity `happy:0.6`; one of neutral, happy, sad, angry, surprised,
   *  afraid, disgusted and content. Empty: neutral. Throws RangeError, which lists the names, for anything else; in
   *  the attribute, that is neutral, with a warning in the console. */
  get emotion(): string {
    return this.getAttribute("emotion") ?? "";
  }
  set emotion(emotion: string) {
    if (emotion !== "") parseExpression(emotion);
    this.setAttribute("emotion", emotion);
  }

  /** How lively it is by itself: `still`, `natural` or `animated`. Empty: natural; `still` where the visitor
   *  prefers less motion, and then it only moves while it speaks. */
  get manner(): string {
    return this.getAttribute("manner") ?? "";
  }
  set manner(manner: string) {
    this.setAttribute("manner", manner);
  }

  /** The stream, of which it says the first audio track. Null for another source, and for none. */
  get srcObject(): MediaStream | null {
    return this.#source instanceof MediaStream ? this.#source : null;
  }
  set srcObject(stream: MediaStream | null) {
    this.source = stream;
  }

  /** What it follows; see `attachFace`. Setting it ends what was followed before. */
  get source(): FaceSource | null {
    return this.#source;
  }
  set source(source: FaceSource | null) {
    if (source === this.#source) return;
    const voice = source && !isRoom(source) ? voiceOf(source) : undefined;
    this.#leaveSource();
    this.#source = source;
    if (source && isRoom(source)) this.#followRoom(source);
    else this.#follow(voice);
  }

  /** The visitor's microphone, to which the face listens while it shows: it nods after phrases, and raises its brows
   *  after questions. The audio is not played, and does not leave the tab. It stays the page's. Throws TypeError for
   *  anything else than a stream or null. */
  get microphone(): MediaStream | null {
    return this.#microphone;
  }
  set microphone(stream: MediaStream | null) {
    if (stream === this.#microphone) return;
    if (stream !== null && !(stream instanceof MediaStream))
      throw new TypeError("the microphone of a face is a MediaStream, or null");
    this.#microphonePath?.close();
    this.#microphone = stream;
    this.#microphonePath = stream
      ? new MicrophonePath(stream, (error) => this.#fail(asFaceError(error, UNHEARD)))
      : undefined;
    this.#update();
  }

  get state(): FaceState {
    return this.#state;
  }

  /** Why it stands still; null while it does not. */
  get error(): FaceError | null {
    return this.#error;
  }

  /** Names of the avatar's gestures, once it is `ready`. */
  get gestures(): readonly string[] {
    return this.#gestures;
  }

  /** Plays one of its gestures. */
  gesture(name: string): void {
    this.#renderer?.gesture(name);
  }

  /** Lets the voice be heard; call it from a tap. The element's own button does. */
  play(): void {
    wakePageAudio();
    this.#path?.play();
  }

  connectedCallback(): void {
    this.#unwatch ??= watchVisible(this.#view.picture, (isVisible) => {
      this.#isVisible = isVisible;
      this.#update();
    });
    this.#calm.addEventListener("change", this.#followCalm);
    if (!this.#renderer && !this.#error) this.#open();
  }

  disconnectedCallback(): void {
    // Until the end of this task it may only be moving to another place.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#unwatch?.();
      this.#unwatch = undefined;
      this.#calm.removeEventListener("change", this.#followCalm);
      this.#isVisible = false;
      this.#close();
    });
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if ((name === "src" || name === "manner") && this.isConnected) this.#open();
    else if (name === "emotion") this.#renderer?.express(this.#expression());
    else if (name === "poster") this.#view.showPoster(value);
    else if (name === "name") this.#view.setName(value ?? "");
    else if (name === "muted" && this.#path) this.#path.isMuted = this.muted;
    else if (name === "captions") this.#view.showCaption(undefined);
  }

  /** Opens what `src` names, in the place of what was open. */
  #open(): void {
    this.#close();
    this.#error = null;
    this.#view.showNotice("");
    if (this.src === "") return;
    this.#setState();
    const canvas = document.createElement("canvas");
    const renderer = new TabRenderer(
      new URL(this.src, document.baseURI).href,
      canvas,
      {
        onOpened: (widthPx, heightPx, gestures) => {
          this.#gestures = gestures;
          if (!this.#video) this.#view.setRatio(widthPx / heightPx);
        },
        onShown: () => {
          this.#isShown = true;
          if (!this.#video) this.#view.reveal();
          this.#update();
          this.dispatchEvent(new Event("ready"));
        },
        onSpeaking: (isSpeaking) => {
          this.#isSpeaking = isSpeaking;
          this.#setState();
        },
        onFailed: (error) => {
          if (renderer !== this.#renderer) return;
          this.#close();
          this.#fail(error);
        },
      },
      { manner: this.#ownManner ?? (this.#isCalm ? "still" : undefined), isCalm: this.#isCalm },
    );
    this.#renderer = renderer;
    renderer.express(this.#expression());
    if (!this.#video) this.#view.setMoving(canvas);
    this.#canvas = canvas;
    this.#update();
  }

  /** What the attribute names; undefined for any other name. */
  get #ownManner(): Manner | undefined {
    return MANNERS.find((manner) => manner === this.manner);
  }

  /** The visitor prefers less motion, and the page does not decide otherwise. */
  get #isCalm(): boolean {
    return this.#calm.matches && this.#ownManner === undefined;
  }

  #expression(): Expression {
    if (this.emotion === "") return NEUTRAL;
    try {
      return parseExpression(this.emotion);
    } catch (error) {
      console.warn(`<avatar-face>: ${(error as RangeError).message}`);
      return NEUTRAL;
    }
  }

  #close(): void {
    if (this.#path) this.#path.renderer = undefined;
    if (this.#microphonePath) this.#microphonePath.renderer = undefined;
    this.#renderer?.close();
    this.#renderer = undefined;
    this.#canvas = undefined;
    this.#isShown = false;
    this.#isSpeaking = false;
    this.#gestures = [];
    if (!this.#video) this.#view.setMoving(undefined);
    this.#setState();
  }

  #followRoom(room: LiveKitRoom): void {
    this.#feed = new RoomFeed(room, {
      onVideo: (track) => this.#showVideo(track),
      onVoice: (track) => this.#follow(track && voiceOf(track)),
      onCaption: (text) => {
        if (this.getAttribute("captions") !== "off") this.#view.showCaption(text);
      },
      onState: (state) => {
        this.#toldState = state;
        this.#renderer?.listening(state === "listening");
        this.#renderer?.thinking(state === "thinking");
        this.#setState();
      },
    });
  }

  #follow(voice: Voice | undefined): void {
    this.#path?.close();
    this.#path = undefined;
    this.#view.offerSound(false);
    if (!voice) return;
    this.#path = new VoicePath(voice, this.muted, {
      onBlocked: (isBlocked) => this.#view.offerSound(isBlocked && !this.muted),
      onError: (error) => this.#fail(asFaceError(error, UNREADABLE)),
    });
    this.#update();
  }

  #leaveSource(): void {
    this.#feed?.close();
    this.#feed = undefined;
    this.#toldState = undefined;
    this.#follow(undefined);
    this.#showVideo(undefined);
    this.#view.showCaption(undefined);
    this.#setState();
  }

  /** Shows the video of an avatar in the room, or again what the tab renders. */
  #showVideo(track: LiveKitTrack | undefined): void {
    if (track === this.#video) return;
    const before = this.#video;
    this.#video = track;
    if (before)
      for (const element of before.attachedElements ?? [])
        if (this.#view.picture.contains(element)) before.detach(element);
    if (!track) {
      this.#view.setMoving(this.#canvas);
      if (this.#isShown) this.#view.reveal();
      this.#update();
      return;
    }
    const video = document.createElement("video");
    video.muted = true;
    video.playsInline = true;
    video.autoplay = true;
    video.addEventListener("resize", () => this.#view.setRatio(video.videoWidth / video.videoHeight));
    video.addEventListener(
      "playing",
      () => {
        if (track !== this.#video) return;
        this.#view.reveal();
        this.#setState();
        this.dispatchEvent(new Event("ready"));
      },
      { once: true },
    );
    this.#view.setMoving(video);
    track.attach(video);
    this.#update();
  }

  /** Gives the voice to the face while it shows. */
  #update(): void {
    const isRendering = this.#isVisible && !this.#video;
    this.#renderer?.show(isRendering);
    const renderer = isRendering && this.#isShown ? this.#renderer : undefined;
    if (this.#path) this.#path.renderer = renderer;
    if (this.#microphonePath) this.#microphonePath.renderer = renderer;
    this.#setState();
  }

  #followCalm = (): void => {
    if (this.#renderer && this.#ownManner === undefined) this.#open();
  };

  #setState(): void {
    const state = this.#currentState();
    if (state === this.#state) return;
    this.#state = state;
    this.#view.setState(state);
    this.dispatchEvent(new Event("statechange"));
  }

  #currentState(): FaceState {
    if (this.#error?.code !== "audio-unreadable" && this.#error && !this.#video) return "failed";
    if (!this.#renderer && !this.#video) return "empty";
    if (this.#isSpeaking) return "speaking";
    if (this.#toldState) return this.#toldState;
    return this.#isShown || this.#video ? "idle" : "loading";
  }

  #fail(error: FaceError): void {
    this.#error = error;
    this.#view.showNotice(error.message);
    this.#setState();
    this.dispatchEvent(new ErrorEvent("error", { error, message: error.message }));
  }
}

function asFaceError(cause: unknown, message: string): FaceError {
  return cause instanceof FaceError ? cause : new FaceError("audio-unreadable", message, { cause });
}
