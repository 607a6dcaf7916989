// Measures a conversation for the console that shows this page: how long it takes to begin, to answer, and to be heard.
import type { TalkMeasure } from "../shared/talk-measures.ts";

/** Smaller changes of the delay are not told, ms. */
const DELAY_STEP_MS = 5;

export interface TalkMeterOptions {
  tell(measure: TalkMeasure): void;
  /** Monotonic, ms. Default `performance.now`. */
  now?(): number;
}

export class TalkMeter {
  readonly #tell: (measure: TalkMeasure) => void;
  readonly #now: () => number;
  #startedMs = 0;
  #sessionMs: number | undefined;
  #joinMs: number | undefined;
  #roomName: string | undefined;
  #asked: { text: string; atMs: number } | undefined;
  #agentState: string | undefined;
  #delayMs = 0;

  constructor({ tell, now = () => performance.now() }: TalkMeterOptions) {
    this.#tell = tell;
    this.#now = now;
  }

  /** The page asks for a session. */
  starts(): void {
    this.#startedMs = this.#now();
    this.#sessionMs = undefined;
    this.#joinMs = undefined;
    this.#asked = undefined;
  }

  given(roomName: string | undefined): void {
    this.#sessionMs = this.#sinceStart();
    this.#roomName = roomName;
  }

  joined(): void {
    this.#joinMs = this.#sinceStart();
  }

  /** The face is shown: told for the first one of a start. */
  frameShown(): void {
    if (this.#sessionMs === undefined) return;
    const frameMs = this.#sinceStart();
    // The first frame can be there before joining has been told.
    const joinMs = this.#joinMs ?? frameMs;
    this.#tell({ measured: "start", roomName: this.#roomName, sessionMs: this.#sessionMs, joinMs, frameMs });
    this.#sessionMs = undefined;
  }

  /** What the visitor has said or typed is complete. */
  asked(text: string): void {
    this.#asked = { text, atMs: this.#now() };
  }

  /** `lk.agent.state` of the avatar. */
  showState(agentState: string | undefined): void {
    const begins = agentState === "speaking" && this.#agentState !== "speaking";
    this.#agentState = agentState;
    if (!begins || !this.#asked) return;
    const { text, atMs } = this.#asked;
    this.#asked = undefined;
    this.#tell({ measured: "turn", text, soundMs: Math.round(this.#now() - atMs + this.#delayMs) });
  }

  /** Audio is heard this much after it has arrived. */
  showDelay(delayMs: number): void {
    if (Math.abs(delayMs - this.#delayMs) < DELAY_STEP_MS) return;
    this.#delayMs = delayMs;
    this.#tell({ measured: "playback", delayMs: Math.round(delayMs) });
  }

  ended(reason: string, topupUrl?: string): void {
    this.#tell({ measured: "ended", reason, topupUrl });
  }

  #sinceStart(): number {
    return Math.round(this.#now() - this.#startedMs);
  }
}
