// When a session renders video for a viewer, and for how long it has not, which costs less where viewers render.
import type { VideoWatch } from "../../room/playout/video-watch.ts";

/** The first frames of a session that begins without a stream announce its track. No viewer needs them; this is how
 *  long they may take, ms. */
export const ANNOUNCING_LIMIT_MS = 5_000;

export interface RenderedVideoOptions {
  watch: Pick<VideoWatch, "needsVideo" | "viewersRender" | "onChange">;
  /** Called at each change, first when video is rendered. */
  onChange(isRendered: boolean): void;
  /** Default: 5,000 ms. */
  announcingLimitMs?: number;
  /** Default: a monotonic clock, ms. */
  nowMs?(): number;
}

/** Follows from its creation to `close()`. */
export class RenderedVideo {
  readonly #options: RenderedVideoOptions;
  readonly #nowMs: () => number;
  readonly #sinceMs: number;
  readonly #ends: () => void;
  #announcing: NodeJS.Timeout | undefined;
  /** Time with video, up to `#rendersSinceMs`. */
  #renderedMs = 0;
  /** Since when video is rendered; undefined while it is not. */
  #rendersSinceMs: number | undefined;

  constructor(options: RenderedVideoOptions) {
    this.#options = options;
    const { watch, announcingLimitMs = ANNOUNCING_LIMIT_MS, nowMs = () => performance.now() } = options;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
    if (watch.viewersRender && watch.needsVideo) {
      this.#announcing = setTimeout(() => this.#announced(), announcingLimitMs);
    }
    this.#ends = watch.onChange(() => this.#note());
    this.#note();
  }

  /** Seconds without video so far. */
  get secondsWithout(): number {
    const nowMs = this.#nowMs();
    const renderedMs = this.#renderedMs + nowMs - (this.#rendersSinceMs ?? nowMs);
    return Math.round(nowMs - this.#sinceMs - renderedMs) / 1000;
  }

  /** Idempotent. */
  close(): void {
    clearTimeout(this.#announcing);
    this.#ends();
  }

  #announced(): void {
    clearTimeout(this.#announcing);
    this.#announcing = undefined;
    this.#note();
  }

  #note(): void {
    const { watch, onChange } = this.#options;
    const { needsVideo } = watch;
    if (this.#announcing) {
      if (!needsVideo) this.#announced();
      return;
    }
    if (needsVideo === (this.#rendersSinceMs !== undefined)) return;
    const nowMs = this.#nowMs();
    this.#renderedMs += nowMs - (this.#rendersSinceMs ?? nowMs);
    this.#rendersSinceMs = needsVideo ? nowMs : undefined;
    onChange(needsVideo);
  }
}
