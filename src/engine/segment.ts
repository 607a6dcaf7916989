// One utterance inside the engine: a sender's audio in, hops of resampled audio and what is heard in each of them out.
//
//   open      audio may come                                                  → ended (`end`), dropped
//   ended     no more audio comes; the rest is heard                          → heard, finished (no audio), dropped
//   heard     the network has heard all of it; audio may still wait to leave  → finished, dropped
//   finished  all audio has left; the last video frame may still be taken     (final)
//   dropped   cut off: nothing is left to take                                (final)
//
// Audio is resampled one hop (40 ms) at a time when it is needed, so that a sender that pushes a minute at once does
// not stall a step. Audio of a real-time sender that has fallen behind is shortened first: room and network get the
// same samples.
import { HEARING_HOP_SAMPLES, HEARING_SAMPLE_RATE_HZ, HOP_MS } from "../../shared/units.ts";
import { Resampler } from "../audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../audio/samples.ts";
import { TimeShortener } from "../audio/time-shortener.ts";
import type { HeardSpeech, HearingStream } from "../hearing/hearing-stream.ts";
import type { TimedViseme } from "../hearing/timed-viseme.ts";
import { blendWithText, VisemeTrack } from "../hearing/viseme-track.ts";
import { assertMove, type Moves } from "./assert-move.ts";
import { LiveDelay } from "./live-delay.ts";
import { SampleQueue } from "./sample-queue.ts";

export type SegmentState = "open" | "ended" | "heard" | "finished" | "dropped";

const MOVES: Moves<SegmentState> = {
  open: ["ended", "dropped"],
  ended: ["heard", "finished", "dropped"],
  heard: ["finished", "dropped"],
  finished: [],
  dropped: [],
};

/** A place at which samples were left out. */
interface Cut {
  /** Samples of the shortened audio before it, at the sender's rate. */
  at: number;
  samples: number;
}

export class Segment {
  readonly segmentId: string;
  /** Rate of the sender's audio. */
  readonly inputRateHz: number;

  #state: SegmentState = "open";
  readonly #outputRateHz: number;
  readonly #hopSamples: number;
  readonly #raw = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  readonly #audio = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  readonly #hearing = new SampleQueue<Float32Array>((length) => new Float32Array(length));
  readonly #audioResampler: Resampler;
  readonly #hearingResampler: Resampler;
  readonly #rawHop: Int16Array;
  readonly #hearingHop = new Float32Array(HEARING_HOP_SAMPLES);
  /** Null where delay does not matter. */
  readonly #liveDelay: LiveDelay | null;
  readonly #shortener: TimeShortener;
  /** Cuts whose audio has not left yet, and samples left out before those. */
  #cuts: Cut[] = [];
  #passedCutSamples = 0;
  /** What is heard in the video frames that are not taken yet; the first one is frame `#firstFrame` of the segment. */
  #frames: HeardSpeech[] = [];
  readonly #text = new VisemeTrack();
  #firstFrame = 0;
  /** Samples that arrived, less those left out. */
  #inputSamples = 0;
  #preparedSamples = 0;
  #playedSamples = 0;
  #heardHops = 0;
  /** The resamplers have given the samples that they held back for their look-ahead. */
  #isFlushed = false;

  /** With a clock (monotonic, ms), delay of a real-time sender is won back. Throws RangeError for rates outside 8–192
   *  kHz. */
  constructor(segmentId: string, inputRateHz: number, outputRateHz: number, liveClock?: () => number) {
    this.segmentId = segmentId;
    this.#audioResampler = new Resampler(inputRateHz, outputRateHz);
    this.#hearingResampler = new Resampler(inputRateHz, HEARING_SAMPLE_RATE_HZ);
    this.#liveDelay = liveClock ? new LiveDelay(liveClock) : null;
    this.#shortener = new TimeShortener(inputRateHz);
    this.inputRateHz = inputRateHz;
    this.#outputRateHz = outputRateHz;
    this.#hopSamples = (outputRateHz * HOP_MS) / 1000;
    this.#rawHop = new Int16Array(Math.ceil((inputRateHz * HOP_MS) / 1000));
    // Hearing runs late by the resampler's reach (about 1.5 ms): otherwise each hop would wait for the sender's next
    // chunk.
    const reachSamples = Math.ceil((this.#hearingResampler.lookAheadSamples * HEARING_SAMPLE_RATE_HZ) / inputRateHz);
    this.#hearing.push(new Float32Array(reachSamples));
  }

  get state(): SegmentState {
    return this.#state;
  }

  /** True once its first audio has left the engine. */
  get hasStarted(): boolean {
    return this.#playedSamples > 0;
  }

  /** Samples, at the sender's rate, that wait to be resampled. */
  get waitingSamples(): number {
    return this.#raw.length;
  }

  /** Seconds of audio that wait to be resampled. */
  get waitingSeconds(): number {
    return this.#raw.length / this.inputRateHz;
  }

  /** True once the network has heard all of the segment and may go on with the next one. */
  get isWhollyHeard(): boolean {
    return this.#state === "heard" || this.#state === "finished";
  }

  /** True once all its audio has left the engine. */
  get isPlayedOut(): boolean {
    return this.#hasEnded && this.#playedSamples >= this.#audioResampler.outputLengthOf(this.#inputSamples);
  }

  /** How far the segment's own audio has got, ms: what has left the engine, and what was left out of it. */
  get positionMs(): number {
    return (this.#playedSamples * 1000) / this.#outputRateHz + (this.#passedCutSamples * 1000) / this.inputRateHz;
  }

  /** Audio that has arrived and not left, ms. */
  get waitingMs(): number {
    return (this.#audio.length * 1000) / this.#outputRateHz + this.waitingSeconds * 1000;
  }

  /** Hops that are heard ahead of the audio that has left. */
  get hopsHeardAhead(): number {
    return this.#heardHops - this.playedHops;
  }

  /** Hops of audio that have left. */
  get playedHops(): number {
    return Math.ceil(this.#playedSamples / this.#hopSamples);
  }

  /** True if the next hop of audio may leave: the network has heard `lookAheadHops` hops past it, or all of the
   *  segment. */
  canPlay(lookAheadHops: number): boolean {
    if (this.#state === "heard") return this.#audio.length > 0;
    // The last hop waits until all is heard, because a segment whose audio has left is not heard any more.
    if (this.#hasEnded && this.playedHops + 1 >= this.#totalHops()) return false;
    return this.hopsHeardAhead > lookAheadHops;
  }

  /** Like `canPlay`, once all audio that has arrived is heard. */
  willPlay(lookAheadHops: number): boolean {
    if (this.#hasEnded) return true;
    const waitingSamples = this.#hearing.length + (this.#raw.length * HEARING_SAMPLE_RATE_HZ) / this.inputRateHz;
    return this.hopsHeardAhead + Math.floor(waitingSamples / HEARING_HOP_SAMPLES) > lookAheadHops;
  }

  /** True if a video frame is heard and not yet forgotten, so that `takeFrame` may take it. */
  hasFrame(index: number): boolean {
    return index >= this.#firstFrame && index < this.#firstFrame + this.#frames.length;
  }

  /** Appends a copy of the samples, and the mouth shapes that are known of them (times from their start); ignored
   *  unless open. */
  push(samples: Int16Array, visemes: readonly TimedViseme[] = []): void {
    if (this.#state !== "open") return;
    this.#text.add(visemes, this.#toMs(this.#inputSamples));
    this.#inputSamples += samples.length;
    this.#raw.push(samples);
    this.#liveDelay?.arrived(this.#toMs(samples.length));
  }

  /** No more audio comes. Safe to repeat. */
  end(): void {
    if (this.#state === "open") this.#enter("ended");
  }

  /** All audio has left. Only when `isPlayedOut`. */
  finish(): void {
    this.#enter("finished");
  }

  /** Forgets all audio: the segment is cut off. */
  drop(): void {
    this.#enter("dropped");
    this.#raw.clear();
    this.#audio.clear();
    this.#hearing.clear();
    this.#frames = [];
  }

  /** Hears one more hop. Returns false if its audio has not arrived, or all is heard. Calls must not overlap, and hops
   *  of different segments must not mix in a stream. */
  async hearNext(stream: HearingStream): Promise<boolean> {
    if (this.#state !== "open" && this.#state !== "ended") return false;
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
    if (this.state !== "ended") return false; // Cut off meanwhile.
    this.#frames.push(...rest);
    this.#enter("heard");
    return true;
  }

  /** Moves the next hop of audio into `target`, filled up with zeros at the segment's end, and returns its samples.
   *  Only when `canPlay`; `lookAheadHops` as there. */
  takeAudio(target: Int16Array, lookAheadHops: number): number {
    this.#liveDelay?.stepped(this.waitingMs - (lookAheadHops + 1) * HOP_MS);
    const count = this.#audio.takeInto(target);
    target.fill(0, count);
    this.#playedSamples += count;
    this.#passCuts();
    return count;
  }

  /** The segment has started, and its next audio is late. */
  starved(): void {
    this.#liveDelay?.starved();
  }

  /** What is heard in a video frame, corrected by its text where that is known; forgets the frames before it. Throws
   *  RangeError unless `hasFrame`. */
  takeFrame(index: number): HeardSpeech {
    const frame = this.#frames[index - this.#firstFrame];
    if (!frame) throw new RangeError(`frame ${index} of the segment is not heard`);
    this.#frames.splice(0, index - this.#firstFrame);
    this.#firstFrame = index;
    const text = this.#text.picture(index);
    return text ? blendWithText(frame, text) : frame;
  }

  async #hear(stream: HearingStream): Promise<boolean> {
    this.#heardHops += 1;
    const frame = await stream.push(this.#hearingHop);
    if (frame && this.#state !== "dropped") this.#frames.push(frame);
    return true;
  }

  /** Resamples up to one hop of the sender's audio. */
  #prepare(): void {
    const count = this.#raw.takeInto(this.#rawHop);
    if (count > 0) {
      const samples = this.#shorten(toFloatSamples(this.#rawHop.subarray(0, count)));
      this.#audio.push(toInt16Samples(this.#audioResampler.push(samples)));
      this.#hearing.push(this.#hearingResampler.push(samples));
    } else if (this.#hasEnded && !this.#isFlushed) {
      this.#audio.push(toInt16Samples(this.#audioResampler.flush()));
      this.#hearing.push(this.#hearingResampler.flush());
      this.#isFlushed = true;
    }
  }

  /** Leaves out a little where the audio has fallen behind; the segment is shorter from then on. */
  #shorten(samples: Float32Array): Float32Array {
    const excessMs = this.#hasEnded ? 0 : (this.#liveDelay?.excessMs ?? 0);
    const excessSamples = Math.floor((excessMs * this.inputRateHz) / 1000);
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

  /** Counts the cuts that lie behind the audio that has left. */
  #passCuts(): void {
    const played = (this.#playedSamples * this.inputRateHz) / this.#outputRateHz;
    while (this.#cuts.length > 0 && this.#cuts[0].at < played) this.#passedCutSamples += this.#cuts.shift()!.samples;
  }

  /** Length of samples at the sender's rate. */
  #toMs(samples: number): number {
    return (samples * 1000) / this.inputRateHz;
  }

  get #hasEnded(): boolean {
    return this.#state === "ended" || this.#state === "heard";
  }

  #enter(next: SegmentState): void {
    assertMove(MOVES, this.#state, next);
    this.#state = next;
  }

  /** Hops of audio in the whole segment; final once it has ended. */
  #totalHops(): number {
    return Math.ceil(this.#audioResampler.outputLengthOf(this.#inputSamples) / this.#hopSamples);
  }
}
