// The page's end of the worker that renders a face from the motion that someone else computes.
import type { MotionOrder } from "./face-messages.ts";
import { type RendererEvents, RendererLink } from "./renderer-link.ts";

export class MotionRenderer {
  readonly #link: RendererLink<MotionOrder>;

  /** Loads what it needs besides the bundle. See `RendererLink`. */
  constructor(canvas: HTMLCanvasElement, events: RendererEvents) {
    this.#link = new RendererLink<MotionOrder>(
      () => new Worker(new URL("./worker/motion-worker.ts", import.meta.url), { type: "module" }),
      canvas,
      (offscreen) => ({ type: "open", canvas: offscreen }),
      events,
    );
  }

  /** The `.imx`, once. The bytes are used up. */
  giveBundle(bytes: Uint8Array<ArrayBuffer>): void {
    this.#link.tell({ type: "bundle", bytes }, [bytes.buffer]);
  }

  /** A packet of motion that arrives now. */
  move(packet: Uint8Array): void {
    this.#link.tell({ type: "motion", packet, arrivedAtMs: performance.timeOrigin + performance.now() });
  }

  /** Audio is heard so long after the shortest way of a packet, ms. */
  setDelay(delayMs: number): void {
    this.#link.tell({ type: "delay", delayMs });
  }

  show(isShown: boolean): void {
    this.#link.tell({ type: "show", isShown });
  }

  /** Idempotent. */
  close(): void {
    this.#link.close();
  }
}
