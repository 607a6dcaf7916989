// For how long a session was live in its dispatch, and for how much of it its viewers rendered. A process that takes
// over counts on from the checkpoint of the one before.
import type { RenderedVideo } from "./rendered-video.ts";
import type { SessionCheckpoint } from "./session-event.ts";

export interface ServedTimeOptions {
  checkpoint: Pick<SessionCheckpoint, "servedSeconds" | "viewerSeconds"> | null;
  viewersMayRender: boolean;
}

export class ServedTime {
  readonly #options: ServedTimeOptions;
  #sinceMs: number | undefined;
  #video: RenderedVideo | undefined;

  constructor(options: ServedTimeOptions) {
    this.#options = options;
  }

  /** The session is live. */
  begin(video: RenderedVideo): void {
    this.#sinceMs = performance.now();
    this.#video = video;
  }

  /** Seconds live so far. */
  get seconds(): number {
    const earlierSeconds = this.#options.checkpoint?.servedSeconds ?? 0;
    if (this.#sinceMs === undefined) return earlierSeconds;
    return earlierSeconds + Math.round(performance.now() - this.#sinceMs) / 1000;
  }

  /** Of these, the ones without video; undefined where viewers may not render. */
  get viewerSeconds(): number | undefined {
    if (!this.#options.viewersMayRender) return undefined;
    return (this.#options.checkpoint?.viewerSeconds ?? 0) + (this.#video?.secondsWithout ?? 0);
  }
}
