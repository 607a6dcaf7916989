// Tables of rate limits, as created by migrations 0004 and 0017.

declare module "../database/database.ts" {
  interface Tables {
    rate_buckets: {
      key: string;
      /** Requests left, fractions included, at `at_unix_s`. */
      tokens: number;
      at_unix_s: number;
      /** Number of tokens that the last statement took. */
      taken: number;
    };
  }
}

export {};
