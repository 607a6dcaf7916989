// The page's elements. Everything that is shown goes through textContent: names and texts come from outside.
import { findElement } from "../shared/find-element.ts";
import { activityLabel, keptNote, type TypingMode, typingWords } from "./conversation-words.ts";
import type { EmbedSession } from "./embed-client.ts";
import { type PageState, stateLabel } from "./page-state.ts";

/** What the visitor can do. */
export interface PageActions {
  say(text: string): void;
  hear(): void;
  retry(): void;
  setMuted(isMuted: boolean): void;
  setCaptions(areOn: boolean): void;
  setMicrophone(isOn: boolean): void;
  setCamera(isOn: boolean): void;
}

/** Characters of a text box from which the remaining ones are counted. */
const COUNT_FROM = 400;

/** Shows states and passes on what the visitor does. */
export class PageView {
  readonly video = findElement("video", HTMLVideoElement);
  readonly audio = findElement("audio", HTMLAudioElement);
  readonly #page = findElement("page", HTMLElement);
  readonly #frame = findElement("frame", HTMLElement);
  readonly #name = findElement("name", HTMLElement);
  readonly #state = findElement("state", HTMLElement);
  readonly #activity = findElement("activity", HTMLElement);
  readonly #caption = findElement("caption", HTMLElement);
  readonly #disclosure = findElement("disclosure", HTMLElement);
  readonly #hear = findElement("hear", HTMLButtonElement);
  readonly #notice = findElement("notice", HTMLElement);
  readonly #noticeTitle = findElement("notice-title", HTMLElement);
  readonly #noticeText = findElement("notice-text", HTMLElement);
  readonly #retry = findElement("retry", HTMLButtonElement);
  readonly #form = findElement("say", HTMLFormElement);
  readonly #text = findElement("text", HTMLInputElement);
  readonly #send = findElement("send", HTMLButtonElement);
  readonly #hint = findElement("hint", HTMLElement);
  readonly #mute = findElement("mute", HTMLButtonElement);
  readonly #captions = findElement("captions", HTMLButtonElement);
  readonly #microphone = findElement("microphone", HTMLButtonElement);
  readonly #camera = findElement("camera", HTMLButtonElement);
  readonly #self = findElement("self", HTMLVideoElement);
  readonly #cameraNote = findElement("camera-note", HTMLElement);
  readonly #textLabel = findElement("text-label", HTMLElement);
  readonly #source = findElement("answer-source", HTMLElement);
  readonly #kept = findElement("kept", HTMLElement);
  #isLive = false;

  constructor(actions: PageActions) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (text && this.#isLive) actions.say(text);
    });
    this.#text.addEventListener("input", () => this.#textChanged());
    this.#hear.addEventListener("click", () => actions.hear());
    this.#retry.addEventListener("click", () => actions.retry());
    onToggle(this.#mute, (isMuted) => actions.setMuted(isMuted));
    onToggle(this.#captions, (areOn) => actions.setCaptions(areOn));
    onToggle(this.#microphone, (isOn) => actions.setMicrophone(isOn));
    onToggle(this.#camera, (isOn) => actions.setCamera(isOn));
    // The frame takes the shape of the video: square, wide or tall.
    this.video.addEventListener("resize", () => {
      const { videoWidth, videoHeight } = this.video;
      if (videoWidth > 0) this.#frame.style.setProperty("--ratio", String(videoWidth / videoHeight));
    });
  }

  showState(state: PageState): void {
    this.#page.dataset.state = state.name;
    this.#state.textContent = stateLabel(state);
    this.#isLive = state.name === "live";
    this.#microphone.disabled = !this.#isLive;
    this.#camera.disabled = !this.#isLive;
    if (!this.#isLive) this.showSending(false);
    this.#notice.hidden = state.name !== "ended";
    if (state.name === "ended") {
      this.#noticeTitle.textContent = state.notice.title;
      this.#noticeText.textContent = state.notice.text;
      this.#retry.hidden = !state.notice.canRetry;
      this.#hear.hidden = true;
    }
    this.#textChanged();
  }

  showSession({ agentName, hasDisclosure, transcriptDays, remembers }: EmbedSession): void {
    this.#name.textContent = agentName;
    document.title = agentName;
    this.#disclosure.hidden = !hasDisclosure;
    const kept = keptNote(transcriptDays, remembers);
    this.#kept.hidden = kept === undefined;
    this.#kept.textContent = kept ?? "";
  }

  /** What the avatar does now. Screen readers are not told: it changes with every sentence. */
  showActivity(agentState: string | undefined): void {
    const label = activityLabel(agentState);
    this.#activity.hidden = label === undefined;
    this.#activity.textContent = label ?? "";
  }

  /** What becomes of a line that the visitor types. */
  showTypingMode(mode: TypingMode): void {
    const { button, placeholder, label } = typingWords(mode);
    this.#send.textContent = button;
    this.#text.placeholder = placeholder;
    this.#textLabel.textContent = label;
  }

  /** What answers; undefined hides the line. */
  showAnswerSource(note: string | undefined): void {
    this.#source.hidden = note === undefined;
    this.#source.textContent = note ?? "";
  }

  /** undefined hides the line. */
  showCaption(text: string | undefined): void {
    this.#caption.hidden = text === undefined;
    this.#caption.textContent = text ?? "";
  }

  showHear(isNeeded: boolean): void {
    this.#hear.hidden = !isNeeded;
  }

  showMicrophone(isAllowed: boolean): void {
    this.#microphone.hidden = !isAllowed;
  }

  /** Puts the microphone button back when the browser refused it. */
  setMicrophonePressed(isOn: boolean): void {
    this.#microphone.setAttribute("aria-pressed", String(isOn));
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
    this.#cameraNote.hidden = text === undefined;
    this.#cameraNote.textContent = text ?? "";
  }

  showHint(text: string): void {
    this.#hint.textContent = text;
  }

  /** Whether a text was sent and the avatar has said nothing since. */
  showSending(isSending: boolean): void {
    this.#send.setAttribute("aria-busy", String(isSending));
  }

  /** Empties the text box if it still holds the given text. */
  clearText(text: string): void {
    if (this.#text.value.trim() === text) this.#text.value = "";
    this.#textChanged();
  }

  #textChanged(): void {
    const { length } = this.#text.value;
    this.#send.disabled = !this.#isLive || this.#text.value.trim() === "";
    this.showHint(length >= COUNT_FROM ? `${this.#text.maxLength - length} characters left` : "");
  }
}

function onToggle(button: HTMLButtonElement, act: (isPressed: boolean) => void): void {
  button.addEventListener("click", () => {
    const isPressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isPressed));
    act(isPressed);
  });
}
