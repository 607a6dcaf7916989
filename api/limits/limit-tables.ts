// Tables of rate limits, as migration 0004 made them.

export interface LimitTables {
  rate_buckets: {
    key: string;
    /** Requests left, fractions included, at `at_unix_s`. */
    tokens: number;
    at_unix_s: number;
    /** Whether the last request was. */
    was_allowed: boolean;
  };
}
