// Rate limits as token buckets in PostgreSQL, so that all api processes count together. A bucket holds the requests of
// one minute, allows them as a burst, and refills continuously. Concurrent requests take their tokens in one statement.
import type { Pool } from "pg";
import { createBatcher } from "../database/batcher.ts";

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
  pool: Pool;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const MINUTE_S = 60;
const MAX_BATCH_ITEMS = 200;

/** Result of several requests to one bucket: the first `taken` of them are allowed, and `tokens` are left. */
export interface Taking {
  tokens: number;
  taken: number;
}

/** The statement behind every limit. `source` selects key, per_minute and requests, each key once; `nowS` is the
 *  parameter that holds the time in Unix seconds. Returns key, tokens, taken. The statement refills each bucket for
 *  the time passed, then takes one whole token for each request until none is left. A clock that steps back refills
 *  nothing. Keys are taken in order, so that two statements cannot deadlock. */
export function takeTokensSql(source: string, nowS: string): string {
  // `excluded` is a bucket that was full before: its tokens and what is taken from it add up to the limit.
  const limit = "(excluded.tokens + excluded.taken)";
  const refilled = `least(${limit}, bucket.tokens + greatest(${nowS} - bucket.at_unix_s, 0) * ${limit} / ${MINUTE_S})`;
  const taken = `least(excluded.taken, floor(${refilled})::int)`;
  return `
    insert into rate_buckets as bucket (key, tokens, at_unix_s, taken)
    select key, per_minute - least(requests, per_minute), ${nowS}, least(requests, per_minute)
    from (${source}) demand order by key
    on conflict (key) do update set
      tokens = ${refilled} - ${taken},
      taken = ${taken},
      at_unix_s = greatest(${nowS}, bucket.at_unix_s)
    returning key, tokens, taken`;
}

/** The state after each of `requests` requests, in order of arrival. */
export function statesOf({ tokens, taken }: Taking, requests: number, perMinute: number, nowS: number): BucketState[] {
  const perSecond = perMinute / MINUTE_S;
  return Array.from({ length: requests }, (_, index) => {
    const isAllowed = index < taken;
    const left = isAllowed ? tokens + taken - index - 1 : tokens;
    return {
      isAllowed,
      limit: perMinute,
      remaining: Math.max(0, Math.floor(left)),
      fullAtUnixS: Math.ceil(nowS + (perMinute - left) / perSecond),
      retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
    };
  });
}

const TAKE = takeTokensSql(
  "select * from unnest($1::text[], $2::int[], $3::int[]) as demand(key, per_minute, requests)",
  "$4::float8",
);

/** The limiter of a process. */
export function createRateLimiter({ pool, now }: RateLimiterOptions): RateLimiter {
  const take = createBatcher<{ key: string; perMinute: number }, BucketState>({
    maxItems: MAX_BATCH_ITEMS,
    async run(items) {
      const demands = new Map<string, { perMinute: number; requests: number }>();
      for (const { key, perMinute } of items) {
        demands.set(key, { perMinute, requests: (demands.get(key)?.requests ?? 0) + 1 });
      }
      const nowS = now() / 1000;
      const values = [...demands.values()];
      const { rows } = await pool.query<Taking & { key: string }>({
        name: "take-tokens",
        text: TAKE,
        values: [
          [...demands.keys()],
          values.map(({ perMinute }) => perMinute),
          values.map(({ requests }) => requests),
          nowS,
        ],
      });
      const states = new Map(
        rows.map((row) => {
          const { requests, perMinute } = demands.get(row.key) ?? { requests: 0, perMinute: 1 };
          return [row.key, statesOf(row, requests, perMinute, nowS)];
        }),
      );
      return items.map(({ key }) => states.get(key)?.shift() as BucketState);
    },
  });
  return { take: (key, perMinute) => take({ key, perMinute }) };
}
