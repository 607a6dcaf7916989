// Poses of a face that arrived and were not shown yet, in order, whatever order they came in.
import type { MotionCut, MotionFrame } from "../../../shared/motion-packet.ts";

/** A frame and when it arrived, on the clock of this worker, ms. */
export interface QueuedFrame extends MotionFrame {
  arrivedMs: number;
}

/** Four seconds. Senders are ahead by less than one; what is more is dropped, the earliest first. */
export const MOST_FRAMES = 100;
/** Packets repeat the last cuts; frames of an older cut are over. */
const MOST_CUTS = 16;
/** Frames between two poses that may be made up, if they did not arrive. */
const MOST_MISSING = 3;

export class MotionQueue {
  #frames: QueuedFrame[] = [];
  #taken: QueuedFrame | undefined;
  #cuts: MotionCut[] = [];

  get length(): number {
    return this.#frames.length;
  }

  /** Takes a frame, unless it is there already, over, or void. */
  add(frame: QueuedFrame): void {
    if (this.#taken && frame.index <= this.#taken.index) return;
    if (this.#cuts.some((cut) => isWithin(cut, frame.index))) return;
    let at = this.#frames.length;
    while (at > 0 && this.#frames[at - 1].index > frame.index) at -= 1;
    if (this.#frames[at - 1]?.index === frame.index) return;
    this.#frames.splice(at, 0, frame);
    if (this.#frames.length > MOST_FRAMES) this.#frames.shift();
  }

  /** These frames are void, also if they come later: their audio is not played. */
  cut(cut: MotionCut): void {
    if (this.#cuts.some(({ from, until }) => from === cut.from && until === cut.until)) return;
    this.#cuts.push(cut);
    if (this.#cuts.length > MOST_CUTS) this.#cuts.shift();
    this.#frames = this.#frames.filter(({ index }) => !isWithin(cut, index));
  }

  /** The frame to show next; it stays until it is taken. A few that are missing are made up from their neighbours. */
  get next(): QueuedFrame | undefined {
    const [frame] = this.#frames;
    const before = this.#taken;
    if (!frame || !before) return frame;
    const steps = frame.index - before.index;
    if (steps < 2 || steps > MOST_MISSING + 1) return frame;
    if (this.#cuts.some(({ from, until }) => from < frame.index && until > before.index + 1)) return frame;
    return between(before, frame, 1 / steps);
  }

  /** Takes `next`: it and all before it are over. */
  take(): QueuedFrame | undefined {
    const frame = this.next;
    if (!frame) return undefined;
    this.#taken = frame;
    if (this.#frames[0].index === frame.index) this.#frames.shift();
    return frame;
  }

  /** Another sender, which counts anew. */
  clear(): void {
    this.#frames = [];
    this.#taken = undefined;
    this.#cuts = [];
  }
}

/** The frame after `from`, a part of the way to `to`. */
function between(from: QueuedFrame, to: QueuedFrame, part: number): QueuedFrame {
  const mix = (a: number, b: number): number => a + part * (b - a);
  return {
    index: from.index + 1,
    atMs: mix(from.atMs, to.atMs),
    breath: mix(from.breath, to.breath),
    parameters: from.parameters.map((value, i) => mix(value, to.parameters[i])),
    isSpeaking: from.isSpeaking && to.isSpeaking,
    isStarved: to.isStarved,
    arrivedMs: to.arrivedMs,
  };
}

function isWithin({ from, until }: MotionCut, index: number): boolean {
  return index >= from && index < until;
}
