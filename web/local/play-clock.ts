// The clock of the page: audio time while audio may play, `performance.now()` before that.

/** Seconds from an arbitrary start. Jumps when the browser allows audio or takes it away; schedulers must check for
 *  jumps. */
export class PlayClock {
  readonly #audio: AudioContext;

  constructor(audio: AudioContext) {
    this.#audio = audio;
  }

  /** True while audio may play. */
  get isRunning(): boolean {
    return this.#audio.state === "running";
  }

  /** Time at which audio can be started now. */
  nowS(): number {
    return this.isRunning ? this.#audio.currentTime : performance.now() / 1000;
  }

  /** Time of the audio that leaves the loudspeaker now: `nowS` less what the way there takes. */
  heardS(): number {
    return this.nowS() - (this.isRunning ? this.#audio.outputLatency || 0 : 0);
  }

  /** Resolves at a time, or after `longestS` at the latest; always leaves the browser a moment for other things. */
  async waitUntil(timeS: number, longestS: number): Promise<void> {
    const waitS = Math.min(longestS, Math.max(0, timeS - this.nowS()));
    await new Promise((resolve) => setTimeout(resolve, 1000 * waitS));
  }
}
