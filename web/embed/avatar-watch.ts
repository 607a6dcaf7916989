// Tells the avatar what this page needs of it: video, motion for a face that the tab renders, or neither.
import { parseWatchReply, type WatchNeeds, type WatchReply } from "../../shared/watch.ts";
import { RPC_WATCH } from "../../shared/wire-names.ts";

/** Codes of LiveKit's RPC errors: the avatar's program knows no such call. Source: LiveKit's documentation. */
const UNSUPPORTED_METHOD = 1400;
/** Avatars know the call from the moment they are in the room; older ones just after they have published their tracks.
 *  Tries before an avatar with tracks counts as one that does not know it. */
const TRIES = 4;
/** Tries in all: an avatar publishes its tracks late where its machine is busy. */
const MOST_TRIES = 100;
const RETRY_MS = 150;
const TIMEOUT_MS = 8_000;

/** What the avatar said; `unknown`: it is of an older version that has no such call, and sends video to all who
 *  subscribe; `silent`: no answer came. */
export type WatchOutcome = WatchReply | "unknown" | "silent";

export interface AvatarWatchOptions {
  /** Calls a method of the avatar. Undefined while there is no avatar in the room. */
  call(method: string, payload: string, timeoutMs: number): Promise<string> | undefined;
  /** Whether the avatar has published its tracks. */
  hasTracks(): boolean;
  /** Time between two tries, ms. Default 150. */
  retryMs?: number;
}

export class AvatarWatch {
  readonly #options: AvatarWatchOptions;
  /** Only the newest wish counts. */
  #asked = 0;

  constructor(options: AvatarWatchOptions) {
    this.#options = options;
  }

  /** Asks the avatar that is in the room now. Undefined if there is none, or if something else was asked meanwhile.
   *  Never rejects. */
  async ask(needs: WatchNeeds): Promise<WatchOutcome | undefined> {
    this.#asked += 1;
    const asked = this.#asked;
    let outcome: WatchOutcome | undefined;
    let triesWithTracks = 0;
    for (let tries = 0; tries < MOST_TRIES && triesWithTracks < TRIES; tries++) {
      const hasTracks = this.#options.hasTracks();
      const called = this.#options.call(RPC_WATCH, JSON.stringify({ needs }), TIMEOUT_MS);
      if (!called) return undefined;
      outcome = await called.then(
        (answer): WatchOutcome => parseWatchReply(answer) ?? "silent",
        (error: unknown): WatchOutcome => (codeOf(error) === UNSUPPORTED_METHOD ? "unknown" : "silent"),
      );
      if (asked !== this.#asked) return undefined;
      if (typeof outcome === "object") return outcome;
      // A process that lives answers within the time limit.
      if (hasTracks || outcome === "silent") triesWithTracks += 1;
      if (triesWithTracks === TRIES) return outcome;
      await new Promise((resolve) => setTimeout(resolve, this.#options.retryMs ?? RETRY_MS));
      if (asked !== this.#asked) return undefined;
    }
    return outcome;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
