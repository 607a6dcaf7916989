// Decides which audio and which video frame the engine outputs in each step. It knows segments, but not rendering.
//
// A step's audio is the next hop (40 ms) of the first segment if the network has processed enough of it, otherwise
// silence. Its video frame is that of the same hop or, if audio leads, of an earlier hop: audio is then output while
// the look-ahead of its video frame is still arriving.
import type { Expression } from "../../../shared/expressions.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { fadeAway } from "../../signal/audio/fade-away.ts";
import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import type { LipSyncStream, SpeechFeatures } from "../lip-sync/lip-sync-stream.ts";
import { LOOK_AHEAD_HOPS } from "../lip-sync/viseme-decoder.ts";
import type { EngineEvent, EngineReadiness } from "./engine.ts";
import { Segment, type SegmentOptions } from "./segment.ts";

/** Most audio queued in all segments together; more is dropped and counted. Both limits apply: ten minutes are 58 MB at
 *  48 kHz, and four times as much at 192 kHz. */
export const QUEUE_LIMIT_SECONDS = 600;
export const QUEUE_LIMIT_BYTES = 58_000_000;
const BYTES_PER_SAMPLE = 2;
/** Most segments that wait at a time; opening more throws. */
export const QUEUE_LIMIT_SEGMENTS = 256;
/** Most hops that the network processes in one step (0.2 ms each), so that a large push delays no video frame. */
const MAX_HOPS_PER_STEP = 6;
/** Hops that the network processes ahead of those that the audio output needs. One, so that it reaches the end of a
 *  segment before the last hop is due; more would be wasted if the segment is cleared. */
const AHEAD_HOPS = 1;

/** Output of a step besides the audio itself. */
export interface SequencerStep {
  /** Samples of a segment at the start of the hop; 0 for silence. */
  speechSamples: number;
  /** Segment of these samples; null for silence. */
  segmentId: string | null;
  /** Position in the segment at which these samples start, ms. */
  positionMs: number;
  /** Speech of the step's video frame; null for silence. */
  speech: SpeechFeatures | null;
  /** What the face shows in it, by its segment; null if that sets nothing. */
  expression: Expression | null;
  /** True if a started segment waited for its sender. */
  isStarved: boolean;
  events: EngineEvent[];
}

/** A hop with its audio output, and its video frame not. */
interface DueFrame {
  segment: Segment;
  index: number;
}

export interface SequencerOptions extends SegmentOptions {
  stream: LipSyncStream;
  /** See `EngineOptions`. */
  audioLeadTicks: 0 | 1 | 2;
}

export class SegmentSequencer {
  #droppedSamples = 0;
  readonly #stream: LipSyncStream;
  /** Hops after a hop that the network must have processed before its audio is output. */
  readonly #lookAheadHops: number;
  readonly #outputRateHz: number;
  readonly #segmentOptions: SegmentOptions;
  #segments: Segment[] = [];
  #streamSegment: Segment | null = null;
  /** The last hops of audio that were output, as many as audio leads by, oldest first; null for silence. */
  readonly #dueFrames: (DueFrame | null)[];
  /** The last hop of speech that was output. */
  readonly #lastSpeech: Int16Array;
  /** True if `#lastSpeech` was output in the previous step. */
  #wasSpeech = false;
  /** Events that the next step reports before its own. */
  #owedEvents: EngineEvent[] = [];
  /** Of the last video frame. */
  #expression: Expression | null = null;

  constructor({ stream, audioLeadTicks, ...segmentOptions }: SequencerOptions) {
    this.#stream = stream;
    this.#outputRateHz = segmentOptions.outputRateHz;
    this.#lookAheadHops = LOOK_AHEAD_HOPS - audioLeadTicks;
    this.#dueFrames = new Array<DueFrame | null>(audioLeadTicks).fill(null);
    this.#segmentOptions = segmentOptions;
    this.#lastSpeech = new Int16Array(hopSamplesAt(segmentOptions.outputRateHz));
  }

  /** Samples, at the senders' rates, that were dropped because the queue was full. */
  get droppedSamples(): number {
    return this.#droppedSamples;
  }

  /** Opens a segment behind the others. Throws RangeError for rates outside 8–192 kHz and beyond QUEUE_LIMIT_SEGMENTS.
   *  */
  open(segmentId: string, sampleRateHz: number): Segment {
    if (this.#segments.length >= QUEUE_LIMIT_SEGMENTS) {
      throw new RangeError(`at most ${QUEUE_LIMIT_SEGMENTS} segments can wait`);
    }
    const segment = new Segment(segmentId, sampleRateHz, this.#segmentOptions);
    this.#segments.push(segment);
    return segment;
  }

  /** Appends audio to a segment, up to the limits of the queue, with its mouth shapes if they are known. */
  push(segment: Segment, samples: Int16Array, visemes?: readonly TimedViseme[]): void {
    if (segment.state !== "open") return;
    const freeSamples = this.#freeSamples(segment.inputRateHz);
    this.#droppedSamples += Math.max(0, samples.length - freeSamples);
    // If audio was dropped, the mouth shapes would be ahead of the audio after it.
    segment.push(samples.subarray(0, freeSamples), samples.length <= freeSamples ? visemes : []);
  }

  /** Drops every segment and returns their ids; the next step reports each as interrupted. */
  clear(): string[] {
    const cut = this.#segments;
    this.#segments = [];
    this.#dueFrames.fill(null);
    this.#wasSpeech = false;
    this.#expression = null;
    for (const segment of cut) {
      segment.drop();
      this.#owedEvents.push(finishedEvent(segment));
    }
    return cut.map((segment) => segment.segmentId);
  }

  /** What the next step does, including audio that has arrived and is not processed yet. */
  readiness(): EngineReadiness {
    const segment = this.#segments[0];
    if (this.#owedEvents.length > 0) return "ready";
    if (!segment) return "idle";
    return segment.willPlay(this.#lookAheadHops) ? "ready" : "waiting";
  }

  /** Gives back the events of a failed step, so that the next step reports them. */
  giveBack(events: EngineEvent[]): void {
    this.#owedEvents.unshift(...events);
  }

  /** Runs the network on the audio that the next steps need, a bounded amount. Await it before each `step`. */
  async computeAhead(): Promise<void> {
    let hopsLeft = MAX_HOPS_PER_STEP;
    const limitHops = this.#lookAheadHops + 1 + AHEAD_HOPS;
    // `clear` replaces the list. A loop in progress then continues over the old list of dropped segments.
    for (const segment of this.#segments) {
      while (hopsLeft > 0 && segment.hopsAhead < limitHops && (await this.#readNextLipSync(segment))) hopsLeft -= 1;
      if (!segment.isWhollyComputed) return;
    }
  }

  async #readNextLipSync(segment: Segment): Promise<boolean> {
    if (this.#streamSegment !== segment && !segment.isWhollyComputed) {
      this.#stream.reset();
      this.#streamSegment = segment;
    }
    return segment.readNextLipSync(this.#stream);
  }

  /** Advances by 40 ms: writes the audio of the step into `audio` (one hop at the output rate). On an underrun the
   *  voice fades out; that counts as silence. `queuedMs`: see `Engine.nextAudio`. */
  step(audio: Int16Array, queuedMs = 0): SequencerStep {
    const step: SequencerStep = {
      speechSamples: 0,
      segmentId: null,
      positionMs: 0,
      speech: null,
      expression: null,
      isStarved: false,
      events: this.#owedEvents,
    };
    this.#owedEvents = [];
    audio.fill(0);
    this.#fillStep(audio, step, queuedMs);
    // A segment that waits for its sender keeps its expression.
    if (step.speech || !this.#segments[0]?.hasStarted) this.#expression = step.expression;
    step.expression = this.#expression;
    if (step.speechSamples > 0) this.#lastSpeech.set(audio);
    else if (step.isStarved && this.#wasSpeech) fadeAway(this.#lastSpeech, audio, this.#outputRateHz);
    this.#wasSpeech = step.speechSamples > 0;
    return step;
  }

  #fillStep(audio: Int16Array, step: SequencerStep, queuedMs: number): void {
    const due = this.#dueFrames[0];
    if (due && !due.segment.hasFrame(due.index)) {
      // Audio must not get further ahead of a video frame that cannot be rendered yet.
      step.isStarved = true;
      due.segment.starved();
      return;
    }
    this.#dueFrames.push(this.#takeAudio(audio, step, queuedMs));
    const shown = this.#dueFrames.shift();
    if (!shown) return;
    step.speech = shown.segment.takeFrame(shown.index);
    step.expression = shown.segment.expressionAt(shown.index);
  }

  /** Takes the next hop of audio and adds its events; null for silence. */
  #takeAudio(audio: Int16Array, step: SequencerStep, queuedMs: number): DueFrame | null {
    this.#finishEmptySegments(step);
    const segment = this.#segments[0];
    if (!segment) return null;
    if (!segment.canPlay(this.#lookAheadHops)) {
      step.isStarved = segment.hasStarted;
      if (step.isStarved) segment.starved();
      return null;
    }
    if (!segment.hasStarted) step.events.push({ type: "segment-started", segmentId: segment.segmentId });
    const index = segment.playedHops;
    step.segmentId = segment.segmentId;
    step.positionMs = segment.positionMs;
    step.speechSamples = segment.takeAudio(audio, this.#lookAheadHops, queuedMs);
    if (segment.isPlayedOut) this.#finishFirst(step);
    return { segment, index };
  }

  /** Finishes segments that ended without any audio; they take no step. */
  #finishEmptySegments(step: SequencerStep): void {
    while (this.#segments[0]?.isPlayedOut) this.#finishFirst(step);
  }

  #finishFirst(step: SequencerStep): void {
    const segment = this.#segments.shift()!;
    segment.finish();
    step.events.push(finishedEvent(segment));
  }

  /** Samples at a sender's rate that still fit into the queue. */
  #freeSamples(sampleRateHz: number): number {
    let waitingSeconds = 0;
    let waitingSamples = 0;
    for (const segment of this.#segments) {
      waitingSeconds += segment.waitingSeconds;
      waitingSamples += segment.waitingSamples;
    }
    const freeSeconds = QUEUE_LIMIT_SECONDS - waitingSeconds;
    const freeBytes = QUEUE_LIMIT_BYTES - waitingSamples * BYTES_PER_SAMPLE;
    return Math.max(0, Math.floor(Math.min(freeSeconds * sampleRateHz, freeBytes / BYTES_PER_SAMPLE)));
  }
}

/** Samples of one step at a rate; throws RangeError if a step is not a whole number of samples. */
export function hopSamplesAt(sampleRateHz: number): number {
  const samples = (sampleRateHz * HOP_MS) / 1000;
  if (!Number.isInteger(samples)) throw new RangeError(`${sampleRateHz} Hz does not divide into steps of ${HOP_MS} ms`);
  return samples;
}

function finishedEvent(segment: Segment): EngineEvent {
  return {
    type: "segment-finished",
    segmentId: segment.segmentId,
    positionMs: segment.positionMs,
    interrupted: segment.state === "dropped",
  };
}
