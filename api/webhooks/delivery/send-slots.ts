// Limits the concurrent sends of a process per endpoint, host and account, so that slow receivers of one account do not
// delay the deliveries of others. Endpoints with a slow last send share a few slots.

export interface SendTarget {
  endpointId: string;
  /** Host name and port of the endpoint's URL. */
  host: string;
  userId: string;
}

/** Most concurrent sends. */
export interface SendLimits {
  perEndpoint: number;
  perHost: number;
  perAccount: number;
  /** All slow endpoints together. */
  slow: number;
  /** Duration from which a send counts as slow, in ms. */
  slowFromMs: number;
}

export interface SendSlots {
  /** Runs `send` with a slot and returns true, or returns false at once if a limit is reached. `send` resolves to its
   *  duration in ms. */
  use(target: SendTarget, send: () => Promise<number>): Promise<boolean>;
  /** Whether `use` would find a slot now. */
  isFree(target: SendTarget): boolean;
}

/** Slow endpoints that are remembered at a time. */
const MAX_SLOW_ENDPOINTS = 10_000;

export function createSendSlots(limits: SendLimits): SendSlots {
  const used = new Map<string, number>();
  /** Ids of endpoints with a slow last send, oldest first. */
  const slowEndpoints = new Set<string>();

  function limitsOf({ endpointId, host, userId }: SendTarget): [key: string, limit: number][] {
    return [
      [`endpoint:${endpointId}`, limits.perEndpoint],
      [`host:${host}`, limits.perHost],
      [`account:${userId}`, limits.perAccount],
      ...(slowEndpoints.has(endpointId) ? [["slow", limits.slow] as [string, number]] : []),
    ];
  }

  function remember(endpointId: string, isSlow: boolean): void {
    slowEndpoints.delete(endpointId);
    if (!isSlow) return;
    slowEndpoints.add(endpointId);
    const [oldest] = slowEndpoints;
    if (slowEndpoints.size > MAX_SLOW_ENDPOINTS) slowEndpoints.delete(oldest);
  }

  const isReached = ([key, limit]: [key: string, limit: number]): boolean => (used.get(key) ?? 0) >= limit;

  return {
    isFree: (target) => !limitsOf(target).some(isReached),
    async use(target, send) {
      const taken = limitsOf(target);
      if (taken.some(isReached)) return false;
      for (const [key] of taken) used.set(key, (used.get(key) ?? 0) + 1);
      try {
        remember(target.endpointId, (await send()) >= limits.slowFromMs);
      } finally {
        for (const [key] of taken) {
          const left = (used.get(key) ?? 1) - 1;
          if (left === 0) used.delete(key);
          else used.set(key, left);
        }
      }
      return true;
    },
  };
}
