// Headers that announce the end of a feature that still works.

export interface Deprecation {
  /** When it was announced, in ms since the epoch. */
  sinceMs: number;
  /** When it ends. */
  untilMs: number;
}

/** The answer's headers: `Deprecation` (RFC 9745, a date as Unix seconds) and `Sunset` (RFC 8594, an HTTP date). */
export function deprecationHeaders({ sinceMs, untilMs }: Deprecation): Record<string, string> {
  return { Deprecation: `@${Math.floor(sinceMs / 1000)}`, Sunset: new Date(untilMs).toUTCString() };
}
