// Load of a worker, by which LiveKit chooses between workers. It makes them share sessions in proportion to what each
// can run, on one LiveKit node and on several (ADR 67).
//
// LiveKit takes the node with the largest sum of `target - load` (target 0.7 by default, sums of 0 are refused), and on
// that node each worker with a probability proportional to `1 - load`. A load below 0 is allowed, and only these loads
// can express that one worker has ten times the capacity of another.

/** Makes the worker with the most slots per session nearly certain to be chosen on its node, so that both choices
 *  follow the same order. In simulations, shares of two workers with 12 and 4 slots are 3:1 within one session. */
const SELECTIVITY = 8;
/** Weight of a worker with one free slot. Far above that of a worker without measured capacity. */
const SLOT_WEIGHT = 1_000;
/** Weight of a worker with no free slots but those of vacant sessions, which would have to end. */
const VACANT_WEIGHT = 1;
/** Weight of a worker that measures no free slot, but may take a session that ran before, or that viewers render. Its
 *  load stays below LiveKit's target, so that it is offered these sessions when no other worker has a free slot. */
const LAST_RESORT_WEIGHT = 0.4;

export interface WorkerCapacity {
  /** Sessions that take a slot of the worker. */
  held: number;
  /** Vacant sessions beside them. Default 0. */
  vacant?: number;
  /** Most sessions that it can run now, those held and vacant ones included. */
  most: number;
  /** Most sessions that the operator allows. */
  limit: number;
  /** Whether it takes sessions that viewers render, even if it takes no others. Default false. */
  takesLight?: boolean;
}

/** 1 if the worker takes no session at all; otherwise less, and the less the more slots it has for each session that
 *  it would then hold. Always finite: limits go up to 1,000. */
export function workerLoad({ held, vacant = 0, most, limit, takesLight = false }: WorkerCapacity): number {
  if (held >= limit && !takesLight) return 1;
  if (held >= Math.min(most, limit)) return 1 - LAST_RESORT_WEIGHT;
  if (held + vacant >= most) return 1 - VACANT_WEIGHT;
  return 1 - SLOT_WEIGHT * (most / (held + vacant + 1)) ** SELECTIVITY;
}
