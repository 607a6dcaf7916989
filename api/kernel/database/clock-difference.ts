// Compares this process's clock with the database's, which is the same for all api processes. They compare times that
// another of them wrote: with clocks 6 s apart, one would take the sessions of the others for silent.
import type { Pool } from "pg";
import type { Clock } from "../clock.ts";

/** Clocks that are kept by NTP are far below it; half of the time after which a session counts as silent is above. */
export const CLOCK_TOLERANCE_MS = 2_000;

/** How far this process's clock is ahead of the database's, ms; the time of the request counts half. Rejects if the
 *  database does not answer. */
export async function readClockDifference(pool: Pick<Pool, "query">, now: Clock): Promise<number> {
  const startedMs = now();
  const { rows } = await pool.query<{ ms: number }>(
    "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
  );
  return Math.round((startedMs + now()) / 2 - Number(rows[0].ms));
}
