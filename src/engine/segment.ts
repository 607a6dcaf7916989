// One utterance inside the engine: raw sound in, hops of sound and heard pictures out.
//
// States: open (sound may come) → ended (no more sound) → heard (every picture decoded) → finished; `drop` leads out of any of them.
// Sound is resampled one hop at a time when it is needed, so that a sender who pushes a minute at once does not stall a tick. Where a
// real-time sender's sound has fallen behind, it is shortened just before: sound and hearing get the same samples.
import { HEARING_HOP_SAMPLES, HEARING_SAMPLE_RATE_HZ, HOP_MS } from "../../shared/units.ts";
import { Resampler } from "../audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../audio/samples.ts";
import { TimeShortener } from "../audio/time-shortener.ts";
import type { HeardSpeech, HearingStream } from "../hearing/hearing-stream.ts";
import type { TimedViseme } from "../hearing/timed-viseme.ts";
import { blendWithText, VisemeTrack } from "../hearing/viseme-track.ts";
import { LiveDelay } from "./live-delay.ts";
import { SampleQueue } from "./sample-queue.ts";

/** A place at which sound was left out. */
interface Cut {
  /** Samples of the shortened sound before it, at the sender's rate. */
  at: number;
  samples: number;
}

export class Segment {
  readonly segmentId: string;
  /** True once its first sound has left the engine. */
  hasStarted = false;

  readonly #inputRateHz: number;
  readonly #outputRateHz: number;
  readonly #hopSamples: number;
  readonly #raw = new SampleQueue<Int16Array>();
  readonly #sound = new SampleQueue<Int16Array>();
  readonly #hearing = new SampleQueue<Float32Array>();
  readonly #soundResampler: Resampler;
  readonly #hearingResampler: Resampler;
  readonly #rawHop: Int16Array;
  readonly #hearingHop = new Float32Array(HEARING_HOP_SAMPLES);
  /** Null where delay does not matter. */
  readonly #liveDelay: LiveDelay | null;
  readonly #shortener: TimeShortener;
  /** Cuts whose sound has not left yet, and samples left out before those. */
  #cuts: Cut[] = [];
  #passedCutSamples = 0;
  #pictures: HeardSpeech[] = [];
  readonly #text = new VisemeTrack();
  #firstPicture = 0;
  /** Samples that arrived, less those left out. */
  #inputSamples = 0;
  #preparedSamples = 0;
  #playedSamples = 0;
  #heardHops = 0;
  #hasEnded = false;
  #isFlushed = false;
  #isHeard = false;
  #isDropped = false;

  /** With a clock (monotonic, ms), delay of a real-time sender's sound is won back. Throws RangeError for rates outside 8–192 kHz. */
  constructor(segmentId: string, inputRateHz: number, outputRateHz: number, liveClock?: () => number) {
    this.segmentId = segmentId;
    this.#soundResampler = new Resampler(inputRateHz, outputRateHz);
    this.#hearingResampler = new Resampler(inputRateHz, HEARING_SAMPLE_RATE_HZ);
    this.#liveDelay = liveClock ? new LiveDelay(liveClock) : null;
    this.#shortener = new TimeShortener(inputRateHz);
    this.#inputRateHz = inputRateHz;
    this.#outputRateHz = outputRateHz;
    this.#hopSamples = (outputRateHz * HOP_MS) / 1000;
    this.#rawHop = new Int16Array(Math.ceil((inputRateHz * HOP_MS) / 1000));
    // Hearing runs late by the resampler's reach (about 1.5 ms): otherwise each hop would wait for the sender's next chunk.
    const reachSamples = Math.ceil((this.#hearingResampler.lookAheadSamples * HEARING_SAMPLE_RATE_HZ) / inputRateHz);
    this.#hearing.push(new Float32Array(reachSamples));
  }

  /** Seconds of sound that wait to be resampled. */
  get waitingSeconds(): number {
    return this.#raw.length / this.#inputRateHz;
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** True once every picture of the segment is decoded; hearing may go on with the next segment. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** True once all its sound has left the engine. */
  get isPlayedOut(): boolean {
    return this.#hasEnded && this.#playedSamples >= this.#soundResampler.outputLengthOf(this.#inputSamples);
  }

  /** How far the segment's own sound has got, ms: what has left the engine, and what was left out of it. */
  get positionMs(): number {
    return (this.#playedSamples * 1000) / this.#outputRateHz + (this.#passedCutSamples * 1000) / this.#inputRateHz;
  }

  /** Sound that has arrived and not left, ms. */
  get waitingMs(): number {
    return (this.#sound.length * 1000) / this.#outputRateHz + this.waitingSeconds * 1000;
  }

  /** Hops that hearing is ahead of the sound that has left. */
  get hopsHeardAhead(): number {
    return this.#heardHops - this.playedHops;
  }

  /** Hops of sound that have left. */
  get playedHops(): number {
    return Math.ceil(this.#playedSamples / this.#hopSamples);
  }

  /** True if the next hop of sound may leave: what is heard reaches `lookAheadHops` hops past it, or the segment is heard to its end. */
  canPlay(lookAheadHops: number): boolean {
    if (this.#isHeard) return this.#sound.length > 0;
    // The last hop waits until all pictures are decoded, because nothing asks the segment to hear once its sound has left.
    if (this.#hasEnded && this.playedHops + 1 >= this.#totalHops()) return false;
    return this.hopsHeardAhead > lookAheadHops;
  }

  /** Like `canPlay`, once all sound that has arrived is heard. */
  willPlay(lookAheadHops: number): boolean {
    if (this.#hasEnded || this.#isHeard) return true;
    const waitingSamples = this.#hearing.length + (this.#raw.length * HEARING_SAMPLE_RATE_HZ) / this.#inputRateHz;
    return this.hopsHeardAhead + Math.floor(waitingSamples / HEARING_HOP_SAMPLES) > lookAheadHops;
  }

  /** True if a picture is decoded, so that `takePicture` may ask for it. */
  hasPicture(index: number): boolean {
    return index >= this.#firstPicture && index < this.#firstPicture + this.#pictures.length;
  }

  /** Appends sound, and the mouth shapes that are known of it (times from its start); ignored after `end` and `drop`. */
  push(samples: Int16Array, visemes: readonly TimedViseme[] = []): void {
    if (this.#hasEnded || this.#isDropped) return;
    this.#text.add(visemes, this.#toMs(this.#inputSamples));
    this.#inputSamples += samples.length;
    this.#raw.push(samples.slice());
    this.#liveDelay?.arrived(this.#toMs(samples.length));
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Forgets all sound; the segment gives nothing any more. */
  drop(): void {
    this.#isDropped = true;
    this.#raw.clear();
    this.#sound.clear();
    this.#hearing.clear();
    this.#pictures = [];
  }

  /** Hears one more hop if its sound is there; false if it is not, or all is heard. Calls must not overlap, and hops of different
   *  segments must not mix in a stream. */
  async hearNext(stream: HearingStream): Promise<boolean> {
    if (this.#isHeard || this.#isDropped) return false;
    this.#prepare();
    if (this.#hearing.length >= HEARING_HOP_SAMPLES) {
      this.#hearing.takeInto(this.#hearingHop);
      return this.#hear(stream);
    }
    if (!this.#isFlushed) return false;
    if (this.#heardHops < this.#totalHops()) {
      this.#hearingHop.fill(0);
      this.#hearing.takeInto(this.#hearingHop);
      return this.#hear(stream);
    }
    const rest = await stream.flush();
    if (this.#isDropped) return false;
    this.#pictures.push(...rest);
    this.#isHeard = true;
    return true;
  }

  /** Moves the next hop of sound into `target`, filled up with zeros at the segment's end, and returns its samples. Only when
   *  `canPlay`; `lookAheadHops` as there. */
  takeSound(target: Int16Array, lookAheadHops: number): number {
    this.#liveDelay?.stepped(this.waitingMs - (lookAheadHops + 1) * HOP_MS);
    const count = this.#sound.takeInto(target);
    target.fill(0, count);
    this.#playedSamples += count;
    this.#passCuts();
    return count;
  }

  /** The segment had begun, and has no sound when it should. */
  starved(): void {
    this.#liveDelay?.starved();
  }

  /** What was heard for a picture, corrected by its text where that is known, and forgets those before it. Throws RangeError unless it is decoded and not yet forgotten. */
  takePicture(index: number): HeardSpeech {
    const picture = this.#pictures[index - this.#firstPicture];
    if (!picture) throw new RangeError(`picture ${index} of the segment is not decoded`);
    this.#pictures.splice(0, index - this.#firstPicture);
    this.#firstPicture = index;
    const text = this.#text.picture(index);
    return text ? blendWithText(picture, text) : picture;
  }

  async #hear(stream: HearingStream): Promise<boolean> {
    this.#heardHops += 1;
    const picture = await stream.push(this.#hearingHop);
    if (picture && !this.#isDropped) this.#pictures.push(picture);
    return true;
  }

  /** Resamples up to one hop of raw sound. */
  #prepare(): void {
    const count = this.#raw.takeInto(this.#rawHop);
    if (count > 0) {
      const samples = this.#shorten(toFloatSamples(this.#rawHop.subarray(0, count)));
      this.#sound.push(toInt16Samples(this.#soundResampler.push(samples)));
      this.#hearing.push(this.#hearingResampler.push(samples));
    } else if (this.#hasEnded && !this.#isFlushed) {
      this.#sound.push(toInt16Samples(this.#soundResampler.flush()));
      this.#hearing.push(this.#hearingResampler.flush());
      this.#isFlushed = true;
    }
  }

  /** Leaves out a little where the sound has fallen behind; the segment is shorter from then on. */
  #shorten(samples: Float32Array): Float32Array {
    const excessMs = this.#hasEnded ? 0 : (this.#liveDelay?.excessMs ?? 0);
    const excessSamples = Math.floor((excessMs * this.#inputRateHz) / 1000);
    const kept = excessSamples > 0 ? this.#shortener.shorten(samples, excessSamples) : samples;
    const cut = samples.length - kept.length;
    if (cut > 0) {
      this.#cuts.push({ at: this.#preparedSamples, samples: cut });
      this.#inputSamples -= cut;
      this.#text.leaveOut(this.#toMs(this.#preparedSamples), this.#toMs(cut));
      this.#liveDelay?.wonBack(this.#toMs(cut));
    }
    this.#preparedSamples += kept.length;
    return kept;
  }

  /** Counts the cuts that lie behind the sound that has left. */
  #passCuts(): void {
    const played = (this.#playedSamples * this.#inputRateHz) / this.#outputRateHz;
    while (this.#cuts.length > 0 && this.#cuts[0].at < played) this.#passedCutSamples += this.#cuts.shift()!.samples;
  }

  /** Length of samples at the sender's rate. */
  #toMs(samples: number): number {
    return (samples * 1000) / this.#inputRateHz;
  }

  /** Hops of sound in the whole segment; final once it has ended. */
  #totalHops(): number {
    return Math.ceil(this.#soundResampler.outputLengthOf(this.#inputSamples) / this.#hopSamples);
  }
}
