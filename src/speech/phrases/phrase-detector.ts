// Finds where the phrases of a person begin and end, in the audio of a microphone: rules on its loudness, which need no
// network and no word. At the end of a phrase its melody says whether it sounded like a question.
//
//   quiet    no phrase                      → phrase (loud for 60 ms)
//   phrase   it goes on, with short pauses  → quiet (220 ms of silence: it has ended, or was too short to be one)
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { soundsLikeQuestion } from "./question-melody.ts";
import { LEVEL_MS, LEVEL_SAMPLES, SoundLevels } from "./sound-levels.ts";

/** What is heard of a person: a phrase begins, or has ended. */
export type HeardPhrase = "speech" | "statement" | "question";

/** Loud is above all three: the loudest of the phrase less this, dB; the noise plus this, dB; this level, dBFS. */
const BELOW_PEAK_DB = 31;
const ABOVE_NOISE_DB = 5;
const AUDIBLE_DB = -62;
/** How much the loudest level of the phrase is forgotten in 20 ms, dB: a person may turn away. */
const PEAK_FALL_DB = 0.1;
/** Loud parts of the last ones that begin a phrase. */
const BEGIN_PARTS = 3;
const BEGIN_OF_PARTS = 4;
/** Silence that ends a phrase, ms. The closure of a plosive takes up to 150 ms; a listener who nods later than 300 ms
 *  after a phrase seems to think. */
const END_MS = 220;
/** Through noise the end of a phrase drowns, and so do soft syllables within it: if the loudest of the phrase is less
 *  than this above the noise, dB, each further dB adds this silence, ms, up to a limit. */
const NOISY_DB = 30;
const NOISY_MS_PER_DB = 5;
const MOST_NOISY_MS = 40;
/** Less of loud parts is a cough or a click, ms. */
const LEAST_PHRASE_MS = 240;
/** Speech has syllables: what is as steady as this is a tone or a machine. Mean change of level in 20 ms, dB. */
const LEAST_CHANGE_DB = 0.8;
/** The noise is the quietest 20 ms of this time, ms: a person is not loud for so long without a closure. */
const NOISE_MS = 2_000;
const NOISE_BLOCK_MS = 200;
const LOWEST_NOISE_DB = -75;
const NOISE_SMOOTHING = 0.4;
/** What is kept for the melody, ms. */
const MELODY_MS = 1_600;

const KEPT_SAMPLES = (MELODY_MS * SPEECH_SAMPLE_RATE_HZ) / 1000;

/** One microphone. The same audio gives the same phrases, however it is cut into pieces. Keeps 1.6 s of audio, in
 *  memory only. */
export class PhraseDetector {
  readonly #levels = new SoundLevels();
  readonly #part = new Int16Array(LEVEL_SAMPLES);
  #filled = 0;
  /** The last audio; a ring. */
  readonly #kept = new Int16Array(KEPT_SAMPLES);
  #keptEnd = 0;
  /** The quietest levels of the last blocks, oldest first; the last one grows. */
  #quietest: number[] = [];
  #blockMs = NOISE_BLOCK_MS;
  #recent: boolean[] = [];
  #isPhrase = false;
  #peakDb = Number.NEGATIVE_INFINITY;
  #loudMs = 0;
  #silenceMs = 0;
  /** Sum of changes of level in loud parts, dB. */
  #changeDb = 0;
  #previousDb = 0;
  #smoothDb = LOWEST_NOISE_DB;

  /** Whether a phrase has begun that has no end yet. */
  get isPhrase(): boolean {
    return this.#isPhrase;
  }

  /** `samples`: mono int16 at 16 kHz, any length. Returns what is heard with them, in order; mostly nothing. */
  push(samples: Int16Array): HeardPhrase[] {
    const heard: HeardPhrase[] = [];
    for (let at = 0; at < samples.length; ) {
      const piece = samples.subarray(at, at + LEVEL_SAMPLES - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled < LEVEL_SAMPLES) continue;
      this.#filled = 0;
      const phrase = this.#take();
      if (phrase) heard.push(phrase);
    }
    return heard;
  }

  /** Forgets all audio, for another microphone or after a gap. A phrase that had begun has no end. */
  reset(): void {
    this.#levels.reset();
    this.#filled = 0;
    this.#kept.fill(0);
    this.#quietest = [];
    this.#blockMs = NOISE_BLOCK_MS;
    this.#smoothDb = LOWEST_NOISE_DB;
    this.#rest();
  }

  #take(): HeardPhrase | undefined {
    this.#keep();
    const levelDb = this.#levels.next(this.#part, 0);
    this.#smoothDb += NOISE_SMOOTHING * (levelDb - this.#smoothDb);
    const noiseDb = this.#noiseWith(this.#smoothDb);
    this.#peakDb = Math.max(levelDb, this.#peakDb - PEAK_FALL_DB);
    const isLoud = levelDb > Math.max(this.#peakDb - BELOW_PEAK_DB, noiseDb + ABOVE_NOISE_DB, AUDIBLE_DB);
    const changeDb = Math.abs(levelDb - this.#previousDb);
    this.#previousDb = levelDb;
    if (!this.#isPhrase) return this.#begin(isLoud);
    if (isLoud) {
      this.#loudMs += LEVEL_MS;
      this.#silenceMs = 0;
      this.#changeDb += changeDb;
      return undefined;
    }
    this.#silenceMs += LEVEL_MS;
    const noisyMs = NOISY_MS_PER_DB * (NOISY_DB - (this.#peakDb - noiseDb));
    const endMs = END_MS + Math.min(MOST_NOISY_MS, Math.max(0, noisyMs));
    return this.#silenceMs < endMs ? undefined : this.#end();
  }

  #begin(isLoud: boolean): HeardPhrase | undefined {
    this.#recent.push(isLoud);
    if (this.#recent.length > BEGIN_OF_PARTS) this.#recent.shift();
    const loud = this.#recent.filter(Boolean).length;
    if (loud < BEGIN_PARTS) return undefined;
    this.#isPhrase = true;
    this.#loudMs = loud * LEVEL_MS;
    this.#silenceMs = 0;
    this.#changeDb = 0;
    return "speech";
  }

  #end(): HeardPhrase | undefined {
    const isPhrase = this.#loudMs >= LEAST_PHRASE_MS && this.#changeDb / (this.#loudMs / LEVEL_MS) >= LEAST_CHANGE_DB;
    this.#rest();
    if (!isPhrase) return undefined;
    return soundsLikeQuestion(this.#lastAudio()) ? "question" : "statement";
  }

  #rest(): void {
    this.#isPhrase = false;
    this.#peakDb = Number.NEGATIVE_INFINITY;
    this.#recent = [];
  }

  /** Level of the noise, the latest 20 ms included, dB. */
  #noiseWith(levelDb: number): number {
    this.#blockMs += LEVEL_MS;
    if (this.#blockMs > NOISE_BLOCK_MS) {
      this.#blockMs = LEVEL_MS;
      this.#quietest.push(levelDb);
      if (this.#quietest.length > NOISE_MS / NOISE_BLOCK_MS) this.#quietest.shift();
    }
    const last = this.#quietest.length - 1;
    this.#quietest[last] = Math.min(this.#quietest[last], levelDb);
    let quietest = this.#quietest[0];
    for (const block of this.#quietest) quietest = Math.min(quietest, block);
    return Math.max(LOWEST_NOISE_DB, quietest);
  }

  #keep(): void {
    this.#kept.set(this.#part, this.#keptEnd);
    this.#keptEnd = (this.#keptEnd + LEVEL_SAMPLES) % KEPT_SAMPLES;
  }

  #lastAudio(): Int16Array {
    const audio = new Int16Array(KEPT_SAMPLES);
    audio.set(this.#kept.subarray(this.#keptEnd));
    audio.set(this.#kept.subarray(0, this.#keptEnd), KEPT_SAMPLES - this.#keptEnd);
    return audio;
  }
}
