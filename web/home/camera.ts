// Takes a photograph with the visitor's camera, in a dialog.
import { findElement } from "../shared/find-element.ts";
import { toJpeg } from "./prepare-picture.ts";

/** Seconds from the press to the picture: time to look up from the button. */
const COUNTDOWN_S = 3;
const LOOK = "Look straight into the camera, with your face in the oval and your mouth closed.";
const WANTED: MediaStreamConstraints = {
  audio: false,
  video: { facingMode: "user", width: { ideal: 1280 }, height: { ideal: 960 } },
};
/** What a refusal means, by the name of the browser's error. */
const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: "The browser may not use the camera. Allow it in the address bar, or choose a picture.",
  NotFoundError: "No camera was found. Connect one, or choose a picture.",
  NotReadableError: "The camera is used by another program. Close that, then try again.",
  OverconstrainedError: "No camera was found. Connect one, or choose a picture.",
};

/** Why the camera cannot be used, for the visitor. */
export function cameraRefusal(errorName: string): string {
  return REFUSALS[errorName] ?? "The camera could not be opened. Choose a picture instead.";
}

/** The dialog: a preview with an oval for the face, a countdown, and the photograph to accept or take again. The
 *  preview is a mirror, as people expect; the photograph is not. */
export class Camera {
  readonly #onFile: (file: File) => void;
  readonly #dialog = findElement("camera-dialog", HTMLDialogElement);
  readonly #message = findElement("camera-message", HTMLElement);
  readonly #video = findElement("camera-video", HTMLVideoElement);
  readonly #still = findElement("camera-still", HTMLCanvasElement);
  readonly #oval = findElement("camera-oval", HTMLElement);
  readonly #count = findElement("camera-count", HTMLElement);
  readonly #take = findElement("camera-take", HTMLButtonElement);
  readonly #again = findElement("camera-again", HTMLButtonElement);
  readonly #use = findElement("camera-use", HTMLButtonElement);
  #stream: MediaStream | undefined;
  #countdown: ReturnType<typeof setInterval> | undefined;

  /** `onFile` gets each photograph that the visitor decides to use. */
  constructor(onFile: (file: File) => void) {
    this.#onFile = onFile;
    this.#take.addEventListener("click", () => this.#countDown());
    this.#again.addEventListener("click", () => this.#showLive());
    this.#use.addEventListener("click", () => void this.#finish());
    findElement("camera-cancel", HTMLButtonElement).addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#stop());
  }

  /** Opens the dialog and asks for the camera. Says in the dialog why there is none. */
  async open(): Promise<void> {
    this.#showLive();
    this.#message.textContent = "Waiting for the camera …";
    this.#dialog.showModal();
    try {
      // Browsers offer cameras to https pages and on the machine itself only.
      if (!navigator.mediaDevices) throw new DOMException("no secure page", "SecurityError");
      const stream = await navigator.mediaDevices.getUserMedia(WANTED);
      if (!this.#dialog.open) {
        stopTracks(stream);
        return;
      }
      this.#stream = stream;
      this.#video.srcObject = stream;
      await this.#video.play();
      this.#message.textContent = LOOK;
      this.#take.disabled = false;
      this.#take.focus();
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      this.#message.textContent =
        name === "SecurityError"
          ? "Browsers offer the camera only to pages with https. Choose a picture instead."
          : cameraRefusal(name);
    }
  }

  #countDown(): void {
    let left = COUNTDOWN_S;
    this.#take.disabled = true;
    this.#count.textContent = String(left);
    this.#countdown = setInterval(() => {
      left -= 1;
      this.#count.textContent = left > 0 ? String(left) : "";
      if (left === 0) this.#freeze();
    }, 1000);
  }

  #endCountdown(): void {
    clearInterval(this.#countdown);
    this.#count.textContent = "";
  }

  #freeze(): void {
    this.#endCountdown();
    const { videoWidth, videoHeight } = this.#video;
    this.#still.width = videoWidth;
    this.#still.height = videoHeight;
    this.#still.getContext("2d")?.drawImage(this.#video, 0, 0);
    this.#show({ isStill: true });
    this.#use.focus();
  }

  #showLive(): void {
    this.#show({ isStill: false });
    this.#take.disabled = this.#stream === undefined;
    this.#take.focus();
  }

  #show({ isStill }: { isStill: boolean }): void {
    for (const element of [this.#still, this.#again, this.#use]) element.hidden = !isStill;
    for (const element of [this.#video, this.#oval, this.#take]) element.hidden = isStill;
  }

  async #finish(): Promise<void> {
    try {
      const blob = await toJpeg(this.#still);
      this.#dialog.close();
      this.#onFile(new File([blob], "photograph.jpg", { type: blob.type }));
    } catch (error) {
      this.#message.textContent = error instanceof Error ? error.message : cameraRefusal("");
    }
  }

  #stop(): void {
    this.#endCountdown();
    if (this.#stream) stopTracks(this.#stream);
    this.#stream = undefined;
    this.#video.srcObject = null;
  }
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
