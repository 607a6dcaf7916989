// The page around the stage. Everything that is shown goes through textContent: names and texts come from outside.

import type { ExpressionName } from "../../shared/expressions.ts";
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { findElement } from "../shared/find-element.ts";
import { tellFrameOwner } from "../shared/frame-messages.ts";
import { showGestureChips } from "../shared/gesture-chips.ts";
import { showMoodChips } from "../shared/mood-chips.ts";
import { Stage, type StageAction, type StageFace, type StageState } from "../shared/stage/stage.ts";
import { type ComposerActions, ComposerView, onToggle } from "./composer-view.ts";
import { keptNote } from "./conversation-words.ts";
import type { EmbedAgent, EmbedSession } from "./embed-client.ts";
import type { PageState } from "./page-state.ts";
import type { Notice } from "./plain-words.ts";
import type { StreamOffer } from "./stream-offer.ts";
import type { EmbedTexts } from "./texts/load-embed-texts.ts";
import type { KeyedPicture, KeyedPictureOptions } from "./transparency/keyed-picture.ts";

/** What the visitor can do. */
export interface PageActions extends Omit<ComposerActions, "setTranscriptOpen" | "setTyping"> {
  hear(): void;
  retry(): void;
  setCamera(isOn: boolean): void;
  /** Shows the stream in the place of a face that the tab renders. */
  takeVideo(): void;
  /** Keeps the face that the tab renders. */
  keepFace(): void;
  /** Width by height of the face, and whether it is labelled as generated, whenever the page may have changed. */
  onSize(ratio: number, hasLabel: boolean): void;
  /** Never throws. */
  playGesture(name: string): Promise<void>;
  /** What the avatar shows from now on; null: what it shows by default. False if it does not. */
  setMood(emotion: ExpressionName | null): Promise<boolean>;
}

/** How the ground becomes transparent. */
export type KeyOptions = Omit<KeyedPictureOptions, "onShown">;

/** What the notice of an ended conversation adds. */
export interface EndDetails {
  /** How long it was; undefined if nothing was said. */
  summary: string | undefined;
  actions: readonly StageAction[];
}

export class PageView {
  readonly video = findElement("video", HTMLVideoElement);
  readonly audio = findElement("audio", HTMLAudioElement);
  readonly composer: ComposerView;
  readonly #stage: Stage;
  readonly #texts: EmbedTexts;
  readonly #actions: PageActions;
  readonly #page = findElement("page", HTMLElement);
  readonly #transcript = findElement("transcript", HTMLElement);
  readonly #buttons = findElement("actions", HTMLElement);
  readonly #hear = findElement("hear", HTMLButtonElement);
  readonly #camera = findElement("camera", HTMLButtonElement);
  readonly #self = findElement("self", HTMLVideoElement);
  readonly #cameraNote = findElement("camera-note", HTMLElement);
  readonly #source = findElement("answer-source", HTMLElement);
  readonly #kept = findElement("kept", HTMLElement);
  /** Seconds until the next try. */
  readonly #wait = document.createElement("p");
  readonly #mute = findElement("mute", HTMLButtonElement);
  #hasDisclosure = false;
  /** Above a chat, if its site names one. */
  #title: string | undefined;
  readonly #showMood: (emotion: ExpressionName | null) => void;
  #key: KeyOptions | undefined;
  #keyed: KeyedPicture | undefined;
  #isTyping = false;
  /** What the visitor chose; undefined before that. */
  #isTranscriptOpen: boolean | undefined;

  constructor(texts: EmbedTexts, actions: PageActions) {
    this.#texts = texts;
    this.#actions = actions;
    this.composer = new ComposerView(texts, {
      ...actions,
      setTranscriptOpen: (isOpen) => {
        this.#isTranscriptOpen = isOpen;
        this.#showTranscript();
      },
      setTyping: (isTyping) => this.#setTyping(isTyping),
    });
    this.#stage = new Stage({
      host: this.#page,
      face: this.video,
      texts: texts.stage,
      heading: 1,
      about: findElement("about", HTMLElement),
      actions: this.#buttons,
      transcript: this.#transcript,
      composer: this.composer.element,
    });
    this.#stage.setName("Avatar");
    this.#hear.addEventListener("click", () => actions.hear());
    onToggle(this.#camera, (isOn) => actions.setCamera(isOn));
    showGestureChips(findElement("gestures", HTMLElement), (name) => actions.playGesture(name), texts.gestures);
    this.#showMood = showMoodChips(
      findElement("moods", HTMLElement),
      (emotion) => actions.setMood(emotion),
      texts.moods,
    );
    new ResizeObserver(() => this.#pageResized()).observe(this.#page);
  }

  showState(state: PageState): void {
    const isOver = state.name === "ended";
    // While it tries again by itself, the page looks as it did before: it may fail again at once.
    const isWaiting = isOver || (state.name === "connecting" && state.isRetry);
    this.#page.dataset.state = state.name;
    this.composer.element.hidden = isWaiting;
    this.#buttons.hidden = state.name !== "live";
    this.composer.setLive(state.name === "live");
    if (state.name === "live") this.#stage.reveal();
    if (isOver || state.name === "connecting") this.#stage.cover();
    if (isOver) this.#hear.hidden = true;
    // The next avatar has its own mood.
    if (isOver) this.#showMood(null);
    // Nothing was said, and nothing will be.
    this.#transcript.hidden = isOver && this.#transcript.querySelector(".line") === null;
    if (!isWaiting) this.#stage.showNotice(undefined);
    else if (!isOver) this.showWait(this.#texts.retry.trying);
  }

  /** What has ended and what to do next. */
  showEnd(notice: Notice, { summary, actions }: EndDetails): void {
    this.showWait("");
    const { again, talkAgain, now } = this.#texts.retry;
    const label = notice.retryS !== undefined ? now : summary === undefined ? again : talkAgain;
    this.#stage.showNotice({
      title: notice.title,
      text: summary ?? notice.text,
      body: this.#wait,
      actions: [...(notice.canRetry ? [{ label, isMain: true, act: () => this.#actions.retry() }] : []), ...actions],
    });
  }

  /** A canvas that the tab draws on, or `video`. It is covered by the poster until it is live. */
  showFace(face: StageFace): void {
    if (face !== this.#stage.face) this.#stage.setFace(face);
  }

  setRatio(ratio: number): void {
    this.#stage.setRatio(ratio);
  }

  /** Offers the stream; undefined takes the offer back. */
  showOffer(offer: StreamOffer | undefined): void {
    this.#stage.showNotice(
      offer && {
        title: offer.title,
        text: offer.text,
        actions: [
          { label: offer.take, isMain: true, act: () => this.#actions.takeVideo() },
          ...(offer.keep === undefined ? [] : [{ label: offer.keep, act: () => this.#actions.keepFace() }]),
        ],
      },
    );
  }

  /** Makes the face's ground transparent where it has one colour. Later settings replace earlier ones; undefined ends
   *  it. Browsers without WebGL 2 show the face as it is. */
  async setTransparent(settings: KeyOptions | undefined): Promise<void> {
    this.#key = settings;
    this.#keyed?.close();
    this.#keyed = undefined;
    this.#stage.drawOn(undefined);
    if (!settings) return;
    const { KeyedPicture } = await import("./transparency/keyed-picture.ts");
    if (this.#key !== settings) return;
    try {
      const keyed = new KeyedPicture({ ...settings, onShown: (isShown) => this.#stage.showDrawing(isShown) });
      this.#keyed = keyed;
      this.#stage.drawOn(keyed.canvas, () => keyed.show(this.#stage.picture));
      keyed.show(this.#stage.picture);
    } catch {
      // No WebGL 2.
    }
  }

  showWait(text: string): void {
    this.#wait.textContent = text;
    this.#wait.hidden = text === "";
  }

  /** `words` takes the place of the usual one. */
  showActivity(state: StageState, words?: string): void {
    this.#stage.setState(state, words);
  }

  /** The still of the avatar, before anything else is known of it. */
  showPoster(url: string | undefined): void {
    this.#stage.showPoster(url);
  }

  showAgent({ name, posterUrl, hasDisclosure, ratio }: EmbedAgent): void {
    this.#stage.showPoster(posterUrl && atOwnOrigin(posterUrl), ratio);
    this.#pageResized();
    this.showName(name, hasDisclosure);
  }

  /** The face takes the poster's place. */
  revealFace(): void {
    this.#stage.reveal();
  }

  /** Whether the avatar's voice is silent. */
  setMuted(isMuted: boolean): void {
    this.audio.muted = isMuted;
    this.#mute.setAttribute("aria-pressed", String(isMuted));
  }

  /** Replaces the agent's name above the face. */
  setTitle(title: string): void {
    this.#title = title;
    this.#stage.setName(title);
  }

  showName(name: string, hasDisclosure: boolean): void {
    this.#hasDisclosure = hasDisclosure;
    this.#tellSize();
    this.#stage.setName(this.#title ?? name);
    this.#stage.setDisclosure(hasDisclosure);
    document.title = name;
  }

  showSession({ agentName, hasDisclosure, transcriptDays, remembers }: EmbedSession): void {
    this.showName(agentName, hasDisclosure);
    showLine(this.#kept, keptNote(this.#texts, transcriptDays, remembers));
  }

  /** What answers; undefined hides the line. */
  showAnswerSource(note: string | undefined): void {
    showLine(this.#source, note);
  }

  /** undefined hides the line. */
  showCaption(text: string | undefined): void {
    this.#stage.showCaption(text);
  }

  showHear(isNeeded: boolean): void {
    this.#hear.hidden = !isNeeded;
  }

  /** Loudness of the visitor's microphone, 0 to 1. */
  setLevel(level: number): void {
    this.#stage.setLevel(level);
    this.composer.setLevel(level);
  }

  /** The camera is for a language model, which may see. */
  showCamera(isUseful: boolean): void {
    this.#camera.hidden = !isUseful;
  }

  /** The visitor's own video while the camera is on; null while it is off. */
  showSelf(track: MediaStreamTrack | null): void {
    this.#camera.setAttribute("aria-pressed", String(track !== null));
    this.#self.hidden = track === null;
    this.#self.srcObject = track && new MediaStream([track]);
  }

  /** What the avatar sees of the camera; undefined hides the line. */
  showCameraNote(text: string | undefined): void {
    showLine(this.#cameraNote, text);
  }

  #pageResized(): void {
    this.#showTranscript();
    const { left, top, width, height } = this.#stage.pictureBox;
    tellFrameOwner({ avatar: "picture", leftPx: left, topPx: top, widthPx: width, heightPx: height });
    this.#tellSize();
  }

  #tellSize(): void {
    this.#actions.onSize(this.#stage.ratio, this.#hasDisclosure);
  }

  #setTyping(isTyping: boolean): void {
    if (isTyping === this.#isTyping) return;
    this.#isTyping = isTyping;
    this.#page.toggleAttribute("data-typing", isTyping);
    this.#showTranscript();
  }

  /** Beside the face it is open unless folded, below it folded unless opened. What one types is for reading, too. */
  #showTranscript(): void {
    const chosen = this.#isTranscriptOpen === undefined ? "auto" : this.#isTranscriptOpen ? "open" : "folded";
    this.#stage.setTranscript(this.#isTyping ? "open" : chosen);
    this.composer.showTranscriptOpen(this.#stage.isTranscriptOpen);
  }
}

function showLine(line: HTMLElement, text: string | undefined): void {
  line.hidden = text === undefined;
  line.textContent = text ?? "";
}
