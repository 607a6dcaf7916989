// Takes a photograph with the visitor's camera, in a dialog.
import type { CreateContext } from "./create-context.ts";
import { toJpeg } from "./prepare-picture.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

/** Seconds from the press to the picture: time to look up from the button. */
const COUNTDOWN_S = 3;
const WANTED: MediaStreamConstraints = {
  audio: false,
  video: { facingMode: "user", width: { ideal: 1280 }, height: { ideal: 960 } },
};

/** Why the camera cannot be used, by the name of the browser's error. */
export function cameraRefusal(errorName: string, { refusals }: CreateTexts["camera"]): string {
  const known: Readonly<Record<string, string>> = refusals;
  return known[errorName] ?? refusals.other;
}

/** The dialog: a preview with an oval for the face, a countdown, and the photograph to accept or take again. The
 *  preview is a mirror, as people expect; the photograph is not. */
export class Camera {
  readonly #texts: CreateTexts;
  readonly #onFile: (file: File) => void;
  readonly #dialog: HTMLDialogElement;
  readonly #message: HTMLElement;
  readonly #video: HTMLVideoElement;
  readonly #still: HTMLCanvasElement;
  readonly #oval: HTMLElement;
  readonly #count: HTMLElement;
  readonly #take: HTMLButtonElement;
  readonly #again: HTMLButtonElement;
  readonly #use: HTMLButtonElement;
  #stream: MediaStream | undefined;
  #countdown: ReturnType<typeof setInterval> | undefined;

  /** `onFile` gets each photograph that the visitor decides to use. */
  constructor({ find, texts }: CreateContext, onFile: (file: File) => void) {
    this.#texts = texts;
    this.#onFile = onFile;
    this.#dialog = find("camera-dialog", HTMLDialogElement);
    this.#message = find("camera-message", HTMLElement);
    this.#video = find("camera-video", HTMLVideoElement);
    this.#still = find("camera-still", HTMLCanvasElement);
    this.#oval = find("camera-oval", HTMLElement);
    this.#count = find("camera-count", HTMLElement);
    this.#take = find("camera-take", HTMLButtonElement);
    this.#again = find("camera-again", HTMLButtonElement);
    this.#use = find("camera-use", HTMLButtonElement);
    this.#take.addEventListener("click", () => this.#countDown());
    this.#again.addEventListener("click", () => this.#showLive());
    this.#use.addEventListener("click", () => void this.#finish());
    find("camera-cancel", HTMLButtonElement).addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#stop());
  }

  /** Opens the dialog and asks for the camera. Says in the dialog why there is none. */
  async open(): Promise<void> {
    const { camera } = this.#texts;
    this.#showLive();
    this.#message.textContent = camera.wait;
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
      this.#message.textContent = camera.look;
      this.#take.disabled = false;
      this.#take.focus();
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      this.#message.textContent = name === "SecurityError" ? camera.insecure : cameraRefusal(name, camera);
    }
  }

  /** Switches the camera off. Idempotent. */
  close(): void {
    this.#dialog.close();
    this.#stop();
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
      const blob = await toJpeg(this.#still, this.#texts.picture);
      this.#dialog.close();
      this.#onFile(new File([blob], "photograph.jpg", { type: blob.type }));
    } catch (error) {
      this.#message.textContent = error instanceof Error ? error.message : cameraRefusal("", this.#texts.camera);
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
