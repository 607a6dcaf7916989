// From "the sound has left the engine" to "the sound is heard": starts and ends of segments are told when listeners hear them.

/** Sound from the queue to a listener's loudspeaker: measured 60 to 70 ms on loopback (encoder, packets, jitter buffer). */
export const TRANSPORT_MS = 60;

export interface HeardListener {
  /** The first sound of a segment is heard. Once per segment, before its end; never for one of which nothing was heard. */
  segmentStarted(segmentId: string): void;
  /** A segment is over, `positionMs` of it was heard. Once per segment. */
  segmentFinished(segmentId: string, positionMs: number, interrupted: boolean): void;
}

interface AwaitedEnd {
  segmentId: string;
  positionMs: number;
  /** When the last of its sound leaves the queue, ms on `performance.now`. */
  leavesQueueAtMs: number;
  timer: NodeJS.Timeout;
}

/** Delays the engine's events by the sound queue and the transport. Bounded by itself: the queue holds some tenths of a second. */
export class HeardEvents {
  readonly #listener: HeardListener;
  readonly #awaitedStarts = new Map<string, NodeJS.Timeout>();
  readonly #awaitedEnds = new Map<string, AwaitedEnd>();

  constructor(listener: HeardListener) {
    this.#listener = listener;
  }

  /** The first sound of a segment leaves the queue in so many ms. */
  started(segmentId: string, leavesQueueInMs: number): void {
    const timer = setTimeout(() => this.#tellStart(segmentId), leavesQueueInMs + TRANSPORT_MS);
    this.#awaitedStarts.set(segmentId, timer);
  }

  /** The last sound of a segment leaves the queue in so many ms. */
  finished(segmentId: string, positionMs: number, leavesQueueInMs: number): void {
    const timer = setTimeout(() => this.#tellEnd(segmentId, positionMs, false), leavesQueueInMs + TRANSPORT_MS);
    const leavesQueueAtMs = performance.now() + leavesQueueInMs;
    this.#awaitedEnds.set(segmentId, { segmentId, positionMs, leavesQueueAtMs, timer });
  }

  /** A segment was cut off after `positionMs`: told at once. */
  interrupted(segmentId: string, positionMs: number): void {
    this.#tellEnd(segmentId, positionMs, true);
  }

  /** The sound queue has been emptied: segments whose last sound was still in it were cut off too. */
  queueCleared(): void {
    const nowMs = performance.now();
    for (const end of [...this.#awaitedEnds.values()]) {
      const lostMs = end.leavesQueueAtMs - nowMs;
      if (lostMs > 0) this.#tellEnd(end.segmentId, Math.max(0, end.positionMs - lostMs), true);
    }
  }

  /** Forgets what is still awaited. */
  close(): void {
    for (const timer of this.#awaitedStarts.values()) clearTimeout(timer);
    for (const { timer } of this.#awaitedEnds.values()) clearTimeout(timer);
    this.#awaitedStarts.clear();
    this.#awaitedEnds.clear();
  }

  #tellStart(segmentId: string): void {
    clearTimeout(this.#awaitedStarts.get(segmentId));
    this.#awaitedStarts.delete(segmentId);
    this.#listener.segmentStarted(segmentId);
  }

  #tellEnd(segmentId: string, positionMs: number, interrupted: boolean): void {
    clearTimeout(this.#awaitedEnds.get(segmentId)?.timer);
    this.#awaitedEnds.delete(segmentId);
    if (this.#awaitedStarts.has(segmentId)) {
      if (positionMs > 0) this.#tellStart(segmentId);
      clearTimeout(this.#awaitedStarts.get(segmentId));
      this.#awaitedStarts.delete(segmentId);
    }
    this.#listener.segmentFinished(segmentId, positionMs, interrupted);
  }
}
