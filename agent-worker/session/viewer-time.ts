// Time of a session in which no video is streamed, because its viewers render: it costs less.
import type { VideoWatch } from "../../room/playout/video-watch.ts";
import { ANNOUNCING_LIMIT_MS } from "./rendered-video.ts";

export interface ViewerTimeOptions {
  watch: Pick<VideoWatch, "needsVideo" | "onChange">;
  /** Whether the session begins without a stream. */
  viewersRender: boolean;
  /** Default: a monotonic clock, ms. */
  nowMs?(): number;
}

/** Counts from its creation on. */
export class ViewerTime {
  readonly #watch: ViewerTimeOptions["watch"];
  readonly #nowMs: () => number;
  readonly #sinceMs: number;
  readonly #ends: () => void;
  /** Time with video, up to `#streamsSinceMs`. */
  #streamedMs = 0;
  /** Since when video is streamed; undefined while it is not. */
  #streamsSinceMs: number | undefined;

  constructor({ watch, viewersRender, nowMs = () => performance.now() }: ViewerTimeOptions) {
    this.#watch = watch;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
    if (watch.needsVideo) this.#streamsSinceMs = this.#sinceMs + (viewersRender ? ANNOUNCING_LIMIT_MS : 0);
    this.#ends = watch.onChange(this.#note);
  }

  /** Seconds without video so far. */
  get seconds(): number {
    const nowMs = this.#nowMs();
    return Math.round(nowMs - this.#sinceMs - this.#streamedMs - this.#streamingMs(nowMs)) / 1000;
  }

  /** Nothing is noted after it. */
  close(): void {
    this.#ends();
  }

  #note = (): void => {
    const nowMs = this.#nowMs();
    if (this.#watch.needsVideo) {
      this.#streamsSinceMs ??= nowMs;
      return;
    }
    this.#streamedMs += this.#streamingMs(nowMs);
    this.#streamsSinceMs = undefined;
  };

  #streamingMs(nowMs: number): number {
    return this.#streamsSinceMs === undefined ? 0 : Math.max(0, nowMs - this.#streamsSinceMs);
  }
}
