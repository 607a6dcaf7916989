// Timers that are stopped by a function.

/** Runs the work after some milliseconds. Returns a function that stops it, as often as one likes. */
export type Later = (work: () => void, afterMs: number) => () => void;

export const later: Later = (work, afterMs) => {
  const timer = setTimeout(work, afterMs);
  return () => clearTimeout(timer);
};
