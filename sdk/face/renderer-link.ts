// The page's end of a worker that draws a face: starts it, gives it the canvas, and hears its answers.
import { FaceError } from "./face-error.ts";
import type { FaceAnswer } from "./face-messages.ts";

export interface RendererEvents {
  /** Of motion: the canvas shows the face at rest. */
  onOpened(widthPx: number, heightPx: number, gestures: readonly string[]): void;
  /** The first frame shows. */
  onShown(): void;
  onSpeaking(isSpeaking: boolean): void;
  /** Of motion: the frame rate has been too low for 10 s. Default: not told. */
  onSlow?(fps: number): void;
  /** Once; nothing moves from then on. */
  onFailed(error: FaceError): void;
}

export class RendererLink<Order> {
  readonly #events: RendererEvents;
  readonly #worker: Worker | undefined;

  /** `open`: the first order. The canvas is used up, also if this fails. Reports every failure to `onFailed`, later. */
  constructor(
    start: () => Worker,
    canvas: HTMLCanvasElement,
    open: (canvas: OffscreenCanvas) => Order,
    events: RendererEvents,
  ) {
    this.#events = events;
    if (!canvas.transferControlToOffscreen) {
      this.#fail(
        new FaceError("unsupported", "This browser cannot draw in a worker, which the face needs. Update it."),
      );
      return;
    }
    try {
      this.#worker = start();
    } catch (cause) {
      this.#fail(blocked(cause));
      return;
    }
    this.#worker.onmessage = ({ data }: MessageEvent<FaceAnswer>) => this.#take(data);
    // It could not be loaded: errors inside of it come as answers.
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(blocked(event));
    };
    const offscreen = canvas.transferControlToOffscreen();
    this.tell(open(offscreen), [offscreen]);
  }

  tell(order: Order, transferred: Transferable[] = []): void {
    this.#worker?.postMessage(order, transferred);
  }

  /** Idempotent. */
  close(): void {
    if (!this.#worker) return;
    this.#worker.onmessage = null;
    this.#worker.terminate();
  }

  #take(answer: FaceAnswer): void {
    if (answer.type === "opened") this.#events.onOpened(answer.widthPx, answer.heightPx, answer.gestures);
    else if (answer.type === "shown") this.#events.onShown();
    else if (answer.type === "speaking") this.#events.onSpeaking(answer.isSpeaking);
    else if (answer.type === "slow") this.#events.onSlow?.(answer.fps);
    else this.#fail(new FaceError(answer.code, answer.message));
  }

  #fail(error: FaceError): void {
    queueMicrotask(() => {
      this.close();
      this.#events.onFailed(error);
    });
  }
}

function blocked(cause: unknown): FaceError {
  return new FaceError(
    "blocked",
    "The face's worker could not be loaded: its file is missing, or the page's Content-Security-Policy forbids it. Allow the face's origin in worker-src.",
    { cause },
  );
}
