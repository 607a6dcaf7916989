// The face that this tab renders: the avatar's file, a worker that draws on a canvas, the room's motion, and when its
// audio is heard.
import type { FaceError } from "../../sdk/face/face-error.ts";
import { MotionRenderer } from "../../sdk/face/motion-renderer.ts";
import { RequestError } from "../shared/request-error.ts";
import { type Bundle, fetchBundle } from "./fetch-bundle.ts";
import { HeardDelay } from "./heard-delay.ts";

/** Audio leaves the avatar later than its motion: it is cut, paced and encoded in packets of 20 ms. Measured on one
 *  machine, ms. */
const ENCODING_MS = 35;

export interface LocalFaceOptions {
  token: string;
  /** Share of the avatar's file that is there, 0 to 1. */
  onProgress(share: number): void;
  /** The canvas shows the face at rest. Size of the frames, px. */
  onOpened(widthPx: number, heightPx: number): void;
  /** The first frame of an avatar is on the canvas; another process of it may follow. */
  onShown(): void;
  /** The frame rate has been too low for 10 s now. */
  onSlow(fps: number): void;
  /** Nothing moves from now on. Once. */
  onFailed(problem: LocalFaceProblem): void;
}

/** `bundle`: the file did not come, or is another; `browser`: it cannot render here; `stopped`: it did, and failed. */
export type LocalFaceProblem = "bundle" | "browser" | "stopped";

/** Starts at once: what it needs besides the file is loaded before the file is known. Until `close()`. */
export class LocalFace {
  readonly canvas = document.createElement("canvas");
  readonly #options: LocalFaceOptions;
  readonly #renderer: MotionRenderer;
  readonly #aborted = new AbortController();
  #delay: HeardDelay | undefined;
  #isOver = false;

  constructor(options: LocalFaceOptions) {
    this.#options = options;
    this.#renderer = new MotionRenderer(this.canvas, {
      onOpened: options.onOpened,
      onShown: () => this.#isOver || options.onShown(),
      onSpeaking: () => undefined,
      onSlow: (fps) => this.#isOver || options.onSlow(fps),
      onFailed: (error) => this.#fail(problemOf(error)),
    });
    document.addEventListener("visibilitychange", this.#showVisible);
    this.#showVisible();
  }

  /** Fetches the avatar's file. Once. */
  async open(bundle: Bundle): Promise<void> {
    const { token, onProgress } = this.#options;
    try {
      const { signal } = this.#aborted;
      this.#renderer.giveBundle(await fetchBundle(bundle, { token, signal, onProgress }));
    } catch (error) {
      if (!this.#aborted.signal.aborted) this.#fail(error instanceof RequestError ? "bundle" : "browser");
    }
  }

  /** A packet of motion from the room. */
  move(packet: Uint8Array): void {
    this.#renderer.move(packet);
  }

  /** The audio that the visitor hears. */
  follow(receiver: Pick<RTCRtpReceiver, "getStats"> | undefined): void {
    this.#delay?.close();
    this.#delay =
      receiver &&
      new HeardDelay({
        stats: async () => (await receiver.getStats()).values(),
        onDelay: (delayMs) => this.#renderer.setDelay(delayMs + ENCODING_MS),
      });
  }

  /** Idempotent. */
  close(): void {
    this.#isOver = true;
    this.#aborted.abort();
    this.#delay?.close();
    document.removeEventListener("visibilitychange", this.#showVisible);
    this.#renderer.close();
  }

  #showVisible = (): void => this.#renderer.show(document.visibilityState === "visible");

  #fail(problem: LocalFaceProblem): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onFailed(problem);
  }
}

function problemOf({ code }: FaceError): LocalFaceProblem {
  if (code === "bundle-invalid") return "bundle";
  return code === "stopped" ? "stopped" : "browser";
}
