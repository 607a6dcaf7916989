// The page's end of the worker that renders a face from a voice.
import type { FaceOrder } from "./face-messages.ts";
import { type RendererEvents, RendererLink } from "./renderer-link.ts";

export class TabRenderer {
  readonly #link: RendererLink<FaceOrder>;

  /** `bundle`: absolute URL of the `.imx`. See `RendererLink`. */
  constructor(bundle: string, canvas: HTMLCanvasElement, events: RendererEvents) {
    this.#link = new RendererLink<FaceOrder>(
      () => new Worker(new URL("./worker/face-worker.ts", import.meta.url), { type: "module" }),
      canvas,
      (offscreen) => ({ type: "open", bundle, canvas: offscreen }),
      events,
    );
  }

  show(isShown: boolean): void {
    this.#link.tell({ type: "show", isShown });
  }

  calm(isCalm: boolean): void {
    this.#link.tell({ type: "calm", isCalm });
  }

  /** Follows a voice that comes through a port. */
  listen(port: MessagePort, rateHz: number): void {
    this.#link.tell({ type: "listen", port, rateHz }, [port]);
  }

  setClock(audioS: number, heardAtMs: number): void {
    this.#link.tell({ type: "clock", audioS, heardAtMs });
  }

  silence(): void {
    this.#link.tell({ type: "silence" });
  }

  gesture(name: string): void {
    this.#link.tell({ type: "gesture", name });
  }

  listening(isListening: boolean): void {
    this.#link.tell({ type: "listening", isListening });
  }

  /** Idempotent. */
  close(): void {
    this.#link.close();
  }
}
