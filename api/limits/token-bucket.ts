// Rate limits as token buckets in PostgreSQL, so that every api process counts together. A bucket holds one minute's worth,
// allows that as a burst, and refills continuously.
import { sql } from "kysely";
import type { Database } from "../database/database.ts";

export interface BucketState {
  isAllowed: boolean;
  limit: number;
  /** Whole requests left. */
  remaining: number;
  /** Unix seconds at which the bucket is full again. */
  fullAtUnixS: number;
  /** Seconds until one request is allowed; 0 when one is allowed now. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Takes one token from the bucket `key`, which holds `perMinute`. Refused requests take nothing. */
  take(key: string, perMinute: number): Promise<BucketState>;
}

export interface RateLimiterOptions {
  database: Database;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const MINUTE_S = 60;

/** The one statement behind every limit: an upsert that refills by the time passed, then takes if a whole token is there.
 *  A clock that steps back refills nothing. */
export function createRateLimiter({ database, now }: RateLimiterOptions): RateLimiter {
  return {
    async take(key, perMinute) {
      const nowS = now() / 1000;
      const perSecond = perMinute / MINUTE_S;
      const refilled = sql<number>`least(
        ${perMinute}::float8,
        bucket.tokens + greatest(${nowS}::float8 - bucket.at_unix_s, 0) * ${perSecond}::float8
      )`;
      const { rows } = await sql<{ tokens: number; was_allowed: boolean }>`
        insert into rate_buckets as bucket (key, tokens, at_unix_s, was_allowed)
        values (${key}, ${perMinute}::float8 - 1, ${nowS}::float8, true)
        on conflict (key) do update set
          tokens = ${refilled} - case when ${refilled} >= 1 then 1 else 0 end,
          was_allowed = ${refilled} >= 1,
          at_unix_s = greatest(${nowS}::float8, bucket.at_unix_s)
        returning tokens, was_allowed
      `.execute(database);
      const { tokens, was_allowed: isAllowed } = rows[0];
      return {
        isAllowed,
        limit: perMinute,
        remaining: Math.max(0, Math.floor(tokens)),
        fullAtUnixS: Math.ceil(nowS + (perMinute - tokens) / perSecond),
        retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
      };
    },
  };
}
