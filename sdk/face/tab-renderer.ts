// The page's end of the worker that renders a face from a voice.
import type { Expression } from "../../shared/expressions.ts";
import type { FaceManner, FaceOrder } from "./face-messages.ts";
import { givenLipSyncWeights } from "./lip-sync-weights.ts";
import { type RendererEvents, RendererLink } from "./renderer-link.ts";

export class TabRenderer {
  readonly #link: RendererLink<FaceOrder>;

  /** `bundle`: absolute URL of the `.imx`, also a `data:` address in base64. See `RendererLink`. */
  constructor(bundle: string, canvas: HTMLCanvasElement, events: RendererEvents, manner: FaceManner) {
    this.#link = new RendererLink<FaceOrder>(
      () => new Worker(new URL("./worker/face-worker.ts", import.meta.url), { type: "module" }),
      canvas,
      (offscreen) => ({ type: "open", bundle, canvas: offscreen, weights: givenLipSyncWeights(), ...manner }),
      events,
    );
  }

  show(isShown: boolean): void {
    this.#link.tell({ type: "show", isShown });
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

  express(expression: Expression): void {
    this.#link.tell({ type: "express", expression });
  }

  listening(isListening: boolean): void {
    this.#link.tell({ type: "listening", isListening });
  }

  /** Reacts to a microphone that comes through a port. */
  hear(port: MessagePort, rateHz: number): void {
    this.#link.tell({ type: "hear", port, rateHz }, [port]);
  }

  hearNothing(): void {
    this.#link.tell({ type: "hear-nothing" });
  }

  thinking(isThinking: boolean): void {
    this.#link.tell({ type: "thinking", isThinking });
  }

  /** Idempotent. */
  close(): void {
    this.#link.close();
  }
}
