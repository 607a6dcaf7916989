// The service's clock. Tests may start it at another time; it always runs at real speed.

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** The real time, or one that starts at `startsAt` (ISO 8601) now. */
export function createClock(startsAt?: string): Clock {
  if (startsAt === undefined) return () => Date.now();
  const offsetMs = Date.parse(startsAt) - Date.now();
  return () => Date.now() + offsetMs;
}
