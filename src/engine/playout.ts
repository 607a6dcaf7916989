// The order in which sound and pictures leave the engine, one step at a time. Knows segments, not drawing.
//
// A step's sound is the next hop of the first segment, if hearing has got far enough; otherwise silence. Its picture is that of the same hop,
// or, when sound leads, that of the hop before: then sound leaves while the look-ahead of its picture is still arriving.
import { HOP_MS } from "../../shared/units.ts";
import { fadeAway } from "../audio/fade-away.ts";
import type { HeardSpeech, HearingStream } from "../hearing/hearing-stream.ts";
import type { TimedViseme } from "../hearing/timed-viseme.ts";
import { LOOK_AHEAD_HOPS } from "../hearing/viseme-decoder.ts";
import type { EngineEvent, EngineReadiness } from "./engine.ts";
import { Segment } from "./segment.ts";

/** Sound that may wait in all segments together; more is dropped and counted. Ten minutes at 48 kHz are 58 MB. */
export const QUEUE_LIMIT_SECONDS = 600;
/** Segments that may wait at a time; opening more throws. */
export const QUEUE_LIMIT_SEGMENTS = 256;
/** Hops that hearing does in one tick (0.2 ms each), so that a big push is worked off without delaying a picture. */
const HEARD_HOPS_PER_TICK = 6;
/** Hops that hearing gets ahead of the sound at most: what is decoded is lost when a segment is cleared. */
const HEARD_AHEAD_LIMIT_HOPS = 12;

/** What leaves in a step besides the sound itself. */
export interface PlayoutStep {
  /** Samples of a segment that leave, from the start of the hop; 0 for silence. */
  speechSamples: number;
  /** What the picture of this step shows being said; null while nothing is. */
  heard: HeardSpeech | null;
  /** True if a segment that had begun had to wait for its sender. */
  isStarved: boolean;
  events: EngineEvent[];
}

/** A hop whose sound has left and whose picture is still to come. */
interface DuePicture {
  segment: Segment;
  index: number;
}

export class Playout {
  /** Samples, at the senders' rates, that were dropped because the queue was full. */
  droppedSamples = 0;
  readonly #stream: HearingStream;
  readonly #soundLeadTicks: 0 | 1;
  readonly #outputRateHz: number;
  readonly #liveClock: (() => number) | undefined;
  #segments: Segment[] = [];
  #heardSegment: Segment | null = null;
  #duePicture: DuePicture | null = null;
  /** The hop of sound that has just left; null after silence. */
  #lastSound: Int16Array | null = null;
  /** Events that the next step carries ahead of its own. */
  #owedEvents: EngineEvent[] = [];

  /** `liveClock`: see `EngineOptions`. */
  constructor(stream: HearingStream, outputRateHz: number, soundLeadTicks: 0 | 1, liveClock?: () => number) {
    this.#stream = stream;
    this.#outputRateHz = outputRateHz;
    this.#soundLeadTicks = soundLeadTicks;
    this.#liveClock = liveClock;
  }

  /** Opens a segment behind the others. Throws RangeError for rates outside 8–192 kHz and beyond QUEUE_LIMIT_SEGMENTS. */
  open(segmentId: string, sampleRateHz: number): Segment {
    if (this.#segments.length >= QUEUE_LIMIT_SEGMENTS) {
      throw new RangeError(`at most ${QUEUE_LIMIT_SEGMENTS} segments can wait`);
    }
    const segment = new Segment(segmentId, sampleRateHz, this.#outputRateHz, this.#liveClock);
    this.#segments.push(segment);
    return segment;
  }

  /** Appends sound to a segment, as much as the queue takes, and the mouth shapes that are known of it. */
  push(segment: Segment, samples: Int16Array, sampleRateHz: number, visemes?: readonly TimedViseme[]): void {
    if (segment.isDropped) return;
    const waitingSeconds = this.#segments.reduce((sum, other) => sum + other.waitingSeconds, 0);
    const room = Math.max(0, Math.floor((QUEUE_LIMIT_SECONDS - waitingSeconds) * sampleRateHz));
    this.droppedSamples += Math.max(0, samples.length - room);
    // Where sound is lost, its text would run ahead of what follows.
    segment.push(samples.subarray(0, room), samples.length <= room ? visemes : []);
  }

  /** Drops every segment and returns their ids; the next step reports each as interrupted. */
  clear(): string[] {
    const cut = this.#segments;
    this.#segments = [];
    this.#duePicture = null;
    this.#lastSound = null;
    for (const segment of cut) {
      segment.drop();
      this.#owedEvents.push(finished(segment, true));
    }
    return cut.map((segment) => segment.segmentId);
  }

  /** What the next step would do, counting sound that has arrived and is not heard yet. */
  readiness(): EngineReadiness {
    const segment = this.#segments[0];
    if (this.#owedEvents.length > 0) return "ready";
    if (!segment) return "idle";
    return segment.willPlay(LOOK_AHEAD_HOPS - this.#soundLeadTicks) ? "ready" : "waiting";
  }

  /** Takes back the events of a step that nobody saw, so that the next one carries them. */
  takeBack(events: EngineEvent[]): void {
    this.#owedEvents.unshift(...events);
  }

  /** Hears what the coming steps need, a bounded amount. To be awaited before each `step`. */
  async hearAhead(): Promise<void> {
    let hopsLeft = HEARD_HOPS_PER_TICK;
    for (const segment of [...this.#segments]) {
      while (hopsLeft > 0 && segment.hopsHeardAhead < HEARD_AHEAD_LIMIT_HOPS && (await this.#hearNext(segment)))
        hopsLeft -= 1;
      if (!segment.isHeard) return;
    }
  }

  async #hearNext(segment: Segment): Promise<boolean> {
    if (this.#heardSegment !== segment && !segment.isHeard) {
      this.#stream.reset();
      this.#heardSegment = segment;
    }
    return segment.hearNext(this.#stream);
  }

  /** Moves on by 40 ms: writes the sound of the step into `audio` (one hop at the output rate). Where a segment runs dry its voice fades
   *  away; that counts as silence. */
  step(audio: Int16Array): PlayoutStep {
    const step: PlayoutStep = { speechSamples: 0, heard: null, isStarved: false, events: this.#owedEvents };
    this.#owedEvents = [];
    const lastSound = this.#lastSound;
    this.#lastSound = null;
    audio.fill(0);
    this.#fillStep(audio, step);
    if (step.speechSamples > 0) this.#lastSound = audio.slice();
    else if (step.isStarved && lastSound) fadeAway(lastSound, audio, this.#outputRateHz);
    return step;
  }

  #fillStep(audio: Int16Array, step: PlayoutStep): void {
    const due = this.#duePicture;
    if (due && !due.segment.hasPicture(due.index)) {
      // Sound must not run further ahead of a picture that cannot be made yet.
      step.isStarved = true;
      due.segment.starved();
      return;
    }
    this.#duePicture = null;
    const next = this.#takeSound(audio, step);
    const shown = this.#soundLeadTicks === 0 ? next : due;
    if (this.#soundLeadTicks === 1) this.#duePicture = next;
    if (shown) step.heard = shown.segment.takePicture(shown.index);
  }

  /** Takes the next hop of sound, with the events that it brings; null for silence. */
  #takeSound(audio: Int16Array, step: PlayoutStep): DuePicture | null {
    this.#finishEmptySegments(step);
    const segment = this.#segments[0];
    if (!segment) return null;
    const lookAheadHops = LOOK_AHEAD_HOPS - this.#soundLeadTicks;
    if (!segment.canPlay(lookAheadHops)) {
      step.isStarved = segment.hasStarted;
      if (step.isStarved) segment.starved();
      return null;
    }
    if (!segment.hasStarted) {
      segment.hasStarted = true;
      step.events.push({ type: "segment-started", segmentId: segment.segmentId });
    }
    const index = segment.playedHops;
    step.speechSamples = segment.takeSound(audio, lookAheadHops);
    if (segment.isPlayedOut) {
      this.#segments.shift();
      step.events.push(finished(segment, false));
    }
    return { segment, index };
  }

  /** Segments that ended without any sound take no step of their own. */
  #finishEmptySegments(step: PlayoutStep): void {
    while (this.#segments[0]?.isPlayedOut) step.events.push(finished(this.#segments.shift()!, false));
  }
}

/** Samples of one step at a rate; throws RangeError if a step is not a whole number of samples. */
export function hopSamplesAt(sampleRateHz: number): number {
  const samples = (sampleRateHz * HOP_MS) / 1000;
  if (!Number.isInteger(samples)) throw new RangeError(`${sampleRateHz} Hz does not divide into steps of ${HOP_MS} ms`);
  return samples;
}

function finished(segment: Segment, interrupted: boolean): EngineEvent {
  return {
    type: "segment-finished",
    segmentId: segment.segmentId,
    positionMs: segment.positionMs,
    interrupted,
  };
}
