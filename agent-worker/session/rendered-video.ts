// Tells when a session begins to render video, and when it stops.
import type { VideoWatch } from "../../room/playout/video-watch.ts";

/** The first frames of a session that begins without a stream announce its track. No viewer needs them; this is how
 *  long they may take, ms. */
export const ANNOUNCING_LIMIT_MS = 5_000;

export interface RenderedVideoOptions {
  watch: Pick<VideoWatch, "needsVideo" | "onChange">;
  /** Whether the session begins without a stream. */
  viewersRender: boolean;
  /** Called at each change, first when video is rendered. */
  onChange(isRendered: boolean): void;
  /** Default: 5,000 ms. */
  announcingLimitMs?: number;
}

/** Follows from its creation to `close()`. */
export class RenderedVideo {
  readonly #options: RenderedVideoOptions;
  readonly #ends: () => void;
  #announcing: NodeJS.Timeout | undefined;
  #isRendered = false;

  constructor(options: RenderedVideoOptions) {
    this.#options = options;
    const { watch, viewersRender, announcingLimitMs = ANNOUNCING_LIMIT_MS } = options;
    if (viewersRender && watch.needsVideo) this.#announcing = setTimeout(() => this.#announced(), announcingLimitMs);
    this.#ends = watch.onChange(() => this.#note());
    this.#note();
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
    const { needsVideo } = this.#options.watch;
    if (this.#announcing) {
      if (!needsVideo) this.#announced();
      return;
    }
    if (needsVideo === this.#isRendered) return;
    this.#isRendered = needsVideo;
    this.#options.onChange(needsVideo);
  }
}
