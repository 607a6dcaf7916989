// What is heard of a user in the audio of a microphone at any rate, and whether they speak: for faces in a tab.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { Resampler } from "../../signal/audio/resampler.ts";
import { toInt16Samples } from "../../signal/audio/samples.ts";
import { type HeardPhrase, PhraseDetector } from "./phrase-detector.ts";

/** A user who goes on sooner than this after a phrase has spoken all the time, ms. */
const PAUSE_MS = 1_000;

export interface UserHearingEvents {
  /** `lost`: no audio comes any more. */
  onHeard(what: HeardPhrase | "lost"): void;
  /** The user begins to speak, or has been silent for a second. Default: not told. */
  onSpeaking?(isSpeaking: boolean): void;
}

export class UserHearing {
  readonly #events: UserHearingEvents;
  readonly #rateHz: number;
  readonly #detector = new PhraseDetector();
  #resampler: Resampler;
  #isSpeaking = false;
  #pauseMs = 0;

  /** `rateHz`: of the audio, a whole number from 8,000 to 192,000; throws RangeError for others. */
  constructor(rateHz: number, events: UserHearingEvents) {
    this.#rateHz = rateHz;
    this.#events = events;
    this.#resampler = new Resampler(rateHz, SPEECH_SAMPLE_RATE_HZ);
  }

  /** `samples`: mono float32, −1 to 1, any length. */
  push(samples: Float32Array): void {
    for (const what of this.#detector.push(toInt16Samples(this.#resampler.push(samples)))) this.#events.onHeard(what);
    this.#pauseMs = this.#detector.isPhrase ? 0 : this.#pauseMs + (samples.length * 1000) / this.#rateHz;
    this.#setSpeaking(this.#detector.isPhrase || (this.#isSpeaking && this.#pauseMs < PAUSE_MS));
  }

  /** The audio has a gap, or ends. What comes later is heard anew. */
  lost(): void {
    this.#detector.reset();
    this.#resampler = new Resampler(this.#rateHz, SPEECH_SAMPLE_RATE_HZ);
    this.#events.onHeard("lost");
    this.#setSpeaking(false);
  }

  #setSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isSpeaking) return;
    this.#isSpeaking = isSpeaking;
    this.#events.onSpeaking?.(isSpeaking);
  }
}
