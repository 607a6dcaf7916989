// The page's end of the worker that renders a face.
import { FaceError } from "./face-error.ts";
import type { FaceAnswer, FaceOrder } from "./face-messages.ts";

export interface TabRendererEvents {
  onOpened(widthPx: number, heightPx: number, gestures: readonly string[]): void;
  /** The first frame shows. */
  onShown(): void;
  onSpeaking(isSpeaking: boolean): void;
  /** Of motion: the frame rate has been too low for 10 s. Default: not told. */
  onSlow?(fps: number): void;
  /** Once; nothing moves from then on. */
  onFailed(error: FaceError): void;
}

export class TabRenderer {
  readonly #events: TabRendererEvents;
  readonly #worker: Worker | undefined;

  /** `bundle`: absolute URL of the `.imx`; undefined for a face that follows motion: its bundle is given later.
   *  The canvas is used up, also if this fails. Reports every failure to `onFailed`, later. */
  constructor(bundle: string | undefined, canvas: HTMLCanvasElement, events: TabRendererEvents) {
    this.#events = events;
    if (!canvas.transferControlToOffscreen) {
      this.#fail(
        new FaceError("unsupported", "This browser cannot draw in a worker, which the face needs. Update it."),
      );
      return;
    }
    try {
      this.#worker = new Worker(new URL("./worker/face-worker.ts", import.meta.url), { type: "module" });
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
    if (bundle === undefined) this.#tell({ type: "follow-motion", canvas: offscreen }, [offscreen]);
    else this.#tell({ type: "open", bundle, canvas: offscreen }, [offscreen]);
  }

  /** The `.imx` of a face that follows motion. The bytes are used up. */
  giveBundle(bytes: Uint8Array<ArrayBuffer>): void {
    this.#tell({ type: "bundle", bytes }, [bytes.buffer]);
  }

  /** A packet of motion that arrives now. */
  move(packet: Uint8Array): void {
    this.#tell({ type: "motion", packet, arrivedAtMs: performance.timeOrigin + performance.now() });
  }

  /** Audio is heard so long after the shortest way of a packet, ms. */
  setDelay(delayMs: number): void {
    this.#tell({ type: "delay", delayMs });
  }

  show(isShown: boolean): void {
    this.#tell({ type: "show", isShown });
  }

  calm(isCalm: boolean): void {
    this.#tell({ type: "calm", isCalm });
  }

  /** Follows a voice that comes through a port. */
  listen(port: MessagePort, rateHz: number): void {
    this.#tell({ type: "listen", port, rateHz }, [port]);
  }

  setClock(audioS: number, heardAtMs: number): void {
    this.#tell({ type: "clock", audioS, heardAtMs });
  }

  silence(): void {
    this.#tell({ type: "silence" });
  }

  gesture(name: string): void {
    this.#tell({ type: "gesture", name });
  }

  listening(isListening: boolean): void {
    this.#tell({ type: "listening", isListening });
  }

  /** Idempotent. */
  close(): void {
    if (!this.#worker) return;
    this.#worker.onmessage = null;
    this.#worker.terminate();
  }

  #tell(order: FaceOrder, transferred: Transferable[] = []): void {
    this.#worker?.postMessage(order, transferred);
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
