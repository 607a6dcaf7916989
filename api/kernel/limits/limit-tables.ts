// Tables of rate limits, as migrations 0004 and 0017 made them.

declare module "../database/database.ts" {
  interface Tables {
    rate_buckets: {
      key: string;
      /** Requests left, fractions included, at `at_unix_s`. */
      tokens: number;
      at_unix_s: number;
      /** How many the last statement took. */
      taken: number;
    };
  }
}

export {};
