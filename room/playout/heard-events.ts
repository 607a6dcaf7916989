// Delays the start and end events of segments from the moment their audio leaves the engine to the moment listeners
// hear it.

/** Latency from the audio queue to a listener's loudspeaker: measured 60 to 70 ms on loopback (encoder, packets, jitter
 *  buffer). */
const TRANSPORT_MS = 60;

export interface HeardListener {
  /** The first audio of a segment is heard. Once per segment, before its end; never for a segment that was not heard at
   *  all. */
  segmentStarted(segmentId: string): void;
  /** The audio of a segment from `fromMs` to `untilMs` was queued and is heard `inMs` from now, unless the segment is
   *  interrupted before. Once per frame of speech, in order. */
  segmentQueued(segmentId: string, audio: QueuedAudio): void;
  /** A segment is over. Once per segment. */
  segmentFinished(segmentId: string, end: SegmentEnd): void;
}

/** Audio of a segment that was queued. */
export interface QueuedAudio {
  /** Positions in the segment, ms. */
  fromMs: number;
  untilMs: number;
  /** Time until `fromMs` is heard (or, at the queue, leaves it), ms. */
  inMs: number;
}

export interface SegmentEnd {
  /** How much of the segment's audio was heard, ms. */
  positionMs: number;
  /** True if the segment was cut off before its end. */
  interrupted: boolean;
}

interface AwaitedEvent {
  segmentId: string;
  /** Audio of the segment at its end, ms; undefined for its start. */
  endPositionMs: number | undefined;
  /** When the audio of the event leaves the queue, ms of `performance.now`. */
  leavesQueueAtMs: number;
}

/** Audio of a segment in the queue; times in ms of `performance.now`. */
interface QueuedPart {
  segmentId: string;
  fromMs: number;
  untilMs: number;
  leavesAtMs: number;
}

/** Delays the engine's events by the length of the audio queue and the transport latency, and keeps their order. Few
 *  events wait at a time, because the audio queue holds some tenths of a second. */
export class HeardEvents {
  readonly #listener: HeardListener;
  #awaited: AwaitedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The parts that have not left the queue, oldest first, or the last one that has. */
  #parts: QueuedPart[] = [];
  /** Heard positions of the segments that the last clear interrupted, ms. */
  #cutAtMs = new Map<string, number>();

  constructor(listener: HeardListener) {
    this.#listener = listener;
  }

  /** The first audio of a segment leaves the queue `leavesQueueInMs` from now. */
  started(segmentId: string, leavesQueueInMs: number): void {
    this.#await({ segmentId, endPositionMs: undefined, leavesQueueAtMs: performance.now() + leavesQueueInMs });
  }

  /** The last audio of a segment leaves the queue `leavesQueueInMs` from now. */
  finished(segmentId: string, positionMs: number, leavesQueueInMs: number): void {
    this.#await({ segmentId, endPositionMs: positionMs, leavesQueueAtMs: performance.now() + leavesQueueInMs });
  }

  /** Audio of a segment was queued and leaves the queue `audio.inMs` from now. Reported at once. */
  queued(segmentId: string, audio: QueuedAudio): void {
    const { fromMs, untilMs, inMs } = audio;
    const nowMs = performance.now();
    while (this.#parts.length > 0 && leftAtMs(this.#parts[0]) <= nowMs) this.#parts.shift();
    this.#parts.push({ segmentId, fromMs, untilMs, leavesAtMs: nowMs + inMs });
    this.#listener.segmentQueued(segmentId, { ...audio, inMs: inMs + TRANSPORT_MS });
  }

  /** A segment was interrupted by the last clear. Reported at once, after all earlier events. */
  interrupted(segmentId: string): void {
    const positionMs = this.#cutAtMs.get(segmentId) ?? 0;
    if (positionMs === 0) this.#awaited = this.#awaited.filter((event) => event.segmentId !== segmentId);
    while (this.#awaited.length > 0) this.#tellNext();
    this.#listener.segmentFinished(segmentId, { positionMs, interrupted: true });
  }

  /** The audio queue was emptied: what had left it by now is what is heard of each segment. A segment with its last
   *  audio still in it counts as interrupted. Call it before `interrupted`. */
  queueCleared(): void {
    const nowMs = performance.now();
    // After a second clear in a row, the interruptions of the first one may still come.
    if (this.#parts.length > 0) this.#cutAtMs = new Map();
    for (const { segmentId, fromMs, untilMs, leavesAtMs } of this.#parts) {
      const heardMs = Math.min(untilMs, fromMs + Math.max(0, nowMs - leavesAtMs));
      const isFirst = !this.#cutAtMs.has(segmentId);
      if (isFirst || nowMs > leavesAtMs) this.#cutAtMs.set(segmentId, heardMs);
    }
    this.#parts = [];
    const lost = this.#awaited.filter(({ endPositionMs, leavesQueueAtMs }) => {
      return endPositionMs !== undefined && leavesQueueAtMs > nowMs;
    });
    this.#awaited = this.#awaited.filter((event) => !lost.includes(event));
    for (const { segmentId } of lost) this.interrupted(segmentId);
  }

  /** Drops all pending events. */
  close(): void {
    clearTimeout(this.#timer);
    this.#awaited = [];
  }

  #await(event: AwaitedEvent): void {
    this.#awaited.push(event);
    if (this.#awaited.length === 1) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const next = this.#awaited[0];
    if (!next) return;
    const inMs = Math.max(0, next.leavesQueueAtMs + TRANSPORT_MS - performance.now());
    this.#timer = setTimeout(() => {
      if (this.#awaited.length > 0) this.#tellNext();
    }, inMs);
  }

  #tellNext(): void {
    const { segmentId, endPositionMs } = this.#awaited.shift()!;
    this.#schedule();
    if (endPositionMs === undefined) this.#listener.segmentStarted(segmentId);
    else this.#listener.segmentFinished(segmentId, { positionMs: endPositionMs, interrupted: false });
  }
}

function leftAtMs({ fromMs, untilMs, leavesAtMs }: QueuedPart): number {
  return leavesAtMs + untilMs - fromMs;
}
