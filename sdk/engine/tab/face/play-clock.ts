// The clock of a face: `performance.now()` until the browser first lets audio play, audio time from then on.

/** Seconds from an arbitrary start. Jumps once, when audio plays for the first time, and stands still while the audio
 *  is suspended later: frames and audio wait together. */
export class PlayClock {
  readonly #audio: AudioContext;
  #hasRun = false;

  constructor(audio: AudioContext) {
    this.#audio = audio;
  }

  /** True from the moment at which audio may play. Until then nothing can be heard. */
  get canBeHeard(): boolean {
    this.#hasRun ||= this.#audio.state === "running";
    return this.#hasRun;
  }

  /** Time at which audio can be started now. */
  nowS(): number {
    return this.canBeHeard ? this.#audio.currentTime : performance.now() / 1000;
  }

  /** Time of the audio that leaves the loudspeaker now: `nowS` less what the way there takes. */
  heardS(): number {
    return this.nowS() - (this.canBeHeard ? this.#audio.outputLatency || 0 : 0);
  }

  /** Resolves at a time, or after `longestS` at the latest; always leaves the browser a moment for other things. */
  async waitUntil(timeS: number, longestS: number): Promise<void> {
    const waitS = Math.min(longestS, Math.max(0, timeS - this.nowS()));
    await new Promise((resolve) => setTimeout(resolve, 1000 * waitS));
  }
}
