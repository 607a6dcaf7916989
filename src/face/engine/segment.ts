// One utterance inside the engine: takes a sender's audio, gives hops of resampled audio and the network's output for
// each.
//
//   open      audio may arrive                                                → ended (`end`), dropped
//   ended     no more audio comes; lip sync computes the rest                 → computed, finished (no audio), dropped
//   computed  lip sync is computed to its end; audio may still be queued      → finished, dropped
//   finished  all audio was output; the last video frame may still be taken   (final)
//   dropped   interrupted; nothing is left to take                            (final)
//
// Audio is resampled one hop (40 ms) at a time when it is needed, so that a push of a minute of audio does not stall a
// step. Delayed audio of a real-time sender is shortened before resampling, so that room and network get the same
// samples.
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import type { Expression } from "../../../shared/expressions.ts";
import { HOP_MS, LIP_SYNC_HOP_SAMPLES, SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { ResampleProgram } from "../../signal/audio/executor/resample-program.ts";
import { Resampler } from "../../signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../signal/audio/samples.ts";
import { TimeShortener } from "../../signal/audio/time-shortener.ts";
import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import type { LipSyncStream, SpeechFeatures } from "../lip-sync/lip-sync-stream.ts";
import { Cuts } from "./cuts.ts";
import { ExpressionCues } from "./expression-cues.ts";
import { LipSyncFrames } from "./lip-sync-frames.ts";
import { LiveDelay } from "./live-delay.ts";
import { SampleQueue } from "./sample-queue.ts";

export type SegmentState = "open" | "ended" | "computed" | "finished" | "dropped";

const MOVES = defineMoves<SegmentState>({
  open: ["ended", "dropped"],
  ended: ["computed", "finished", "dropped"],
  computed: ["finished", "dropped"],
  finished: [],
  dropped: [],
});

export interface SegmentOptions {
  outputRateHz: number;
  /** See `EngineOptions`. Default 0. */
  startReserveMs?: number | (() => number);
  /** Monotonic time, ms: with it, the delay of a real-time sender is caught up. */
  liveClock?: () => number;
  /** Default: resampling in JavaScript. */
  resampling?: ResampleProgram | null;
}

export class Segment {
  readonly segmentId: string;
  /** Rate of the sender's audio. */
  readonly inputRateHz: number;

  readonly #state = new StateMachine(MOVES, "open");
  readonly #outputRateHz: number;
  readonly #hopSamples: number;
  readonly #raw = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  readonly #audio = new SampleQueue<Int16Array>((length) => new Int16Array(length));
  readonly #lipSync = new SampleQueue<Float32Array>((length) => new Float32Array(length));
  readonly #audioResampler: Resampler;
  readonly #lipSyncResampler: Resampler;
  readonly #rawHop: Int16Array;
  readonly #floatHop: Float32Array<ArrayBuffer>;
  /** Fits the output of any push or flush of the audio resampler. */
  readonly #resampledHop: Int16Array<ArrayBuffer>;
  readonly #lipSyncHop = new Float32Array(LIP_SYNC_HOP_SAMPLES);
  readonly #startReserve: () => number;
  /** Zeros at the start of the audio output. They are no part of positions. */
  readonly #leadInSamples: number;
  /** True once enough audio has arrived to start; false again after an underrun. */
  #hasReserve = false;
  /** Null where delay does not matter. */
  readonly #liveDelay: LiveDelay | null;
  readonly #shortener: TimeShortener;
  /** At the sender's rate. */
  readonly #cuts = new Cuts();
  readonly #frames = new LipSyncFrames();
  readonly #expressions = new ExpressionCues();
  /** Samples that arrived, minus those removed. */
  #inputSamples = 0;
  #preparedSamples = 0;
  #playedSamples = 0;
  #computedHops = 0;
  /** True once the resamplers have returned the samples that they held for their look-ahead. */
  #isFlushed = false;

  /** Throws RangeError for rates outside 8–192 kHz. */
  constructor(segmentId: string, inputRateHz: number, options: SegmentOptions) {
    const { outputRateHz, startReserveMs = 0, liveClock, resampling = null } = options;
    this.segmentId = segmentId;
    this.#startReserve = typeof startReserveMs === "number" ? () => startReserveMs : startReserveMs;
    this.#audioResampler = new Resampler(inputRateHz, outputRateHz, resampling);
    this.#lipSyncResampler = new Resampler(inputRateHz, SPEECH_SAMPLE_RATE_HZ, resampling);
    this.#liveDelay = liveClock ? new LiveDelay(liveClock) : null;
    this.#shortener = new TimeShortener(inputRateHz);
    this.inputRateHz = inputRateHz;
    this.#outputRateHz = outputRateHz;
    this.#hopSamples = (outputRateHz * HOP_MS) / 1000;
    this.#rawHop = new Int16Array(Math.ceil((inputRateHz * HOP_MS) / 1000));
    this.#floatHop = new Float32Array(this.#rawHop.length);
    const mostInputSamples = this.#rawHop.length + this.#audioResampler.lookAheadSamples;
    this.#resampledHop = new Int16Array(this.#audioResampler.outputLengthOf(mostInputSamples) + 2);
    // The network's input is delayed by the resampler's look-ahead (about 1.5 ms). Otherwise each hop would wait for
    // the sender's next chunk. Where audio does not wait for the network's look-ahead, the same goes for the audio.
    const hasReserve = startReserveMs !== 0;
    this.#lipSync.push(new Float32Array(reachOf(this.#lipSyncResampler, hasReserve)));
    this.#leadInSamples = hasReserve ? reachOf(this.#audioResampler, true) : 0;
    this.#audio.push(new Int16Array(this.#leadInSamples));
  }

  get state(): SegmentState {
    return this.#state.current;
  }

  /** True once its first audio was output. */
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

  /** True once the network has processed all of the segment and may go on with the next one. */
  get isWhollyComputed(): boolean {
    return this.#state.is("computed", "finished");
  }

  /** True once all its audio was output. */
  get isPlayedOut(): boolean {
    return this.#hasEnded && this.#playedSamples >= this.#totalSamples();
  }

  /** Position in the segment's original audio, ms: the audio that was output plus the audio that was removed. */
  get positionMs(): number {
    const samples = Math.max(0, this.#playedSamples - this.#leadInSamples);
    return (samples * 1000) / this.#outputRateHz + (this.#cuts.passedSamples * 1000) / this.inputRateHz;
  }

  /** Audio that has arrived and was not output, ms. */
  get waitingMs(): number {
    return (this.#audio.length * 1000) / this.#outputRateHz + this.waitingSeconds * 1000;
  }

  /** Hops that the network is ahead of the audio output. */
  get hopsAhead(): number {
    return this.#computedHops - this.playedHops;
  }

  /** Hops of audio that were output. */
  get playedHops(): number {
    return Math.ceil(this.#playedSamples / this.#hopSamples);
  }

  /** True if the next hop of audio can be output: the network has processed `lookAheadHops` hops past it, or all of the
   *  segment, and the start reserve has arrived. */
  canPlay(lookAheadHops: number): boolean {
    if (this.#state.is("computed")) return this.#audio.length > 0;
    if (!this.#mayStart) return false;
    // The last hop waits until all audio is processed, because the network no longer runs on a segment that is played
    // out.
    if (this.#hasEnded && this.playedHops + 1 >= this.#totalHops()) return false;
    return this.hopsAhead > lookAheadHops && this.#audio.length >= this.#hopSamples;
  }

  /** Like `canPlay`, as if all audio that has arrived were processed. */
  willPlay(lookAheadHops: number): boolean {
    if (this.#hasEnded) return true;
    if (!this.#mayStart || this.waitingMs < HOP_MS) return false;
    const waitingSamples = this.#lipSync.length + (this.#raw.length * SPEECH_SAMPLE_RATE_HZ) / this.inputRateHz;
    return this.hopsAhead + Math.floor(waitingSamples / LIP_SYNC_HOP_SAMPLES) > lookAheadHops;
  }

  /** True if `takeFrame` can take this video frame: it is computed and not dropped yet. */
  hasFrame(index: number): boolean {
    return this.#frames.has(index);
  }

  /** Appends a copy of the samples, with their mouth shapes if they are known (times from the first sample). Ignored
   *  unless open. */
  push(samples: Int16Array, visemes: readonly TimedViseme[] = []): void {
    if (!this.#state.is("open")) return;
    this.#frames.addText(visemes, this.#toMs(this.#inputSamples));
    this.#inputSamples += samples.length;
    this.#raw.push(samples);
    this.#liveDelay?.arrived(this.#toMs(samples.length));
  }

  /** The face shows it from `inMs` after the audio that has arrived on. Ignored unless open. */
  express(expression: Expression, inMs = 0): void {
    if (this.#state.is("open")) this.#expressions.add(expression, this.#toMs(this.#inputSamples) + inMs);
  }

  /** Marks the end of the audio. Idempotent. */
  end(): void {
    if (this.#state.is("open")) this.#state.enter("ended");
  }

  /** Finishes the segment. Only if `isPlayedOut`. */
  finish(): void {
    this.#state.enter("finished");
  }

  /** Drops all audio: the segment is interrupted. */
  drop(): void {
    this.#state.enter("dropped");
    this.#raw.clear();
    this.#audio.clear();
    this.#lipSync.clear();
    this.#frames.clear();
  }

  /** Runs the network on one more hop. Returns false if its audio has not arrived, or all is processed. Calls must not
   *  overlap, and hops of different segments must not mix in a stream. */
  async readNextLipSync(stream: LipSyncStream): Promise<boolean> {
    if (!this.#state.is("open", "ended")) return false;
    this.#prepare();
    if (this.#lipSync.length >= LIP_SYNC_HOP_SAMPLES) {
      this.#lipSync.takeInto(this.#lipSyncHop);
      return this.#readLipSync(stream);
    }
    if (!this.#isFlushed) return false;
    if (this.#computedHops < this.#totalHops()) {
      this.#lipSyncHop.fill(0);
      this.#lipSync.takeInto(this.#lipSyncHop);
      return this.#readLipSync(stream);
    }
    const rest = await stream.flush();
    if (this.state !== "ended") return false; // Interrupted during the await.
    this.#frames.push(...rest);
    this.#state.enter("computed");
    return true;
  }

  /** Moves the next hop of audio into `target`, padded with zeros at the segment's end, and returns its number of
   *  samples. `queuedMs`: audio that was output and has not been played. Only if `canPlay(lookAheadHops)`. */
  takeAudio(target: Int16Array, lookAheadHops: number, queuedMs: number): number {
    const neededMs = Math.max(this.#startReserve(), (lookAheadHops + 1) * HOP_MS);
    this.#liveDelay?.stepped(this.waitingMs + queuedMs - neededMs);
    this.#hasReserve = true;
    const count = this.#audio.takeInto(target);
    target.fill(0, count);
    this.#playedSamples += count;
    this.#cuts.pass(((this.#playedSamples - this.#leadInSamples) * this.inputRateHz) / this.#outputRateHz);
    return count;
  }

  /** Records an underrun: the segment has started, and its next audio is late. */
  starved(): void {
    this.#hasReserve = false;
    this.#liveDelay?.starved();
  }

  /** The network's output for a video frame, corrected by the mouth shapes if they are known. Drops the frames before
   *  it. Throws RangeError unless `hasFrame`. */
  takeFrame(index: number): SpeechFeatures {
    return this.#frames.take(index);
  }

  /** What the face shows in a video frame; null if nothing was set. Frames come in their order. */
  expressionAt(index: number): Expression | null {
    return this.#expressions.at(index * HOP_MS);
  }

  async #readLipSync(stream: LipSyncStream): Promise<boolean> {
    this.#computedHops += 1;
    const frame = await stream.push(this.#lipSyncHop);
    if (frame && !this.#state.is("dropped")) this.#frames.push(frame);
    return true;
  }

  /** Resamples up to one hop of the sender's audio. */
  #prepare(): void {
    const count = this.#raw.takeInto(this.#rawHop);
    if (count > 0) {
      const samples = this.#shorten(toFloatSamples(this.#rawHop.subarray(0, count), this.#floatHop));
      this.#audio.push(toInt16Samples(this.#audioResampler.push(samples), this.#resampledHop));
      this.#lipSync.push(this.#lipSyncResampler.push(samples));
    } else if (this.#hasEnded && !this.#isFlushed) {
      this.#audio.push(toInt16Samples(this.#audioResampler.flush(), this.#resampledHop));
      this.#lipSync.push(this.#lipSyncResampler.flush());
      this.#isFlushed = true;
    }
  }

  /** Removes a few samples if the audio is delayed; the segment gets shorter. */
  #shorten(samples: Float32Array): Float32Array {
    const excessMs = this.#hasEnded ? 0 : (this.#liveDelay?.excessMs ?? 0);
    const excessSamples = Math.floor((excessMs * this.inputRateHz) / 1000);
    const kept = excessSamples > 0 ? this.#shortener.shorten(samples, excessSamples) : samples;
    const cut = samples.length - kept.length;
    if (cut > 0) {
      this.#cuts.add(this.#preparedSamples, cut);
      this.#inputSamples -= cut;
      this.#frames.leaveOut(this.#toMs(this.#preparedSamples), this.#toMs(cut));
      this.#expressions.leaveOut(this.#toMs(this.#preparedSamples), this.#toMs(cut));
      this.#liveDelay?.wonBack(this.#toMs(cut));
    }
    this.#preparedSamples += kept.length;
    return kept;
  }

  /** Duration of samples at the sender's rate, ms. */
  #toMs(samples: number): number {
    return (samples * 1000) / this.inputRateHz;
  }

  get #mayStart(): boolean {
    return this.#hasReserve || this.#hasEnded || this.waitingMs >= this.#startReserve();
  }

  get #hasEnded(): boolean {
    return this.#state.is("ended", "computed");
  }

  /** Samples of audio output in the whole segment; final once it has ended. None if it has no audio. */
  #totalSamples(): number {
    const samples = this.#audioResampler.outputLengthOf(this.#inputSamples);
    return samples > 0 ? samples + this.#leadInSamples : 0;
  }

  /** Hops of audio in the whole segment; final once it has ended. */
  #totalHops(): number {
    return Math.ceil(this.#totalSamples() / this.#hopSamples);
  }
}

/** Output samples that a resampler's look-ahead holds back; `isWhole`: none is missing where rates do not divide. */
function reachOf({ lookAheadSamples, inputRateHz, outputRateHz }: Resampler, isWhole: boolean): number {
  if (lookAheadSamples === 0) return 0;
  return Math.ceil(((lookAheadSamples + (isWhole ? 1 : 0)) * outputRateHz) / inputRateHz);
}
