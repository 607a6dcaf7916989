// Keeps one slow endpoint from taking up every place at which this process sends.

export interface EndpointSlots {
  /** Runs `work` with a slot of the endpoint, and returns whether there was one. */
  use(endpointId: string, work: () => Promise<void>): Promise<boolean>;
}

/** Slots for any number of endpoints, `perEndpoint` each. */
export function createEndpointSlots(perEndpoint: number): EndpointSlots {
  const taken = new Map<string, number>();
  return {
    async use(endpointId, work) {
      const before = taken.get(endpointId) ?? 0;
      if (before >= perEndpoint) return false;
      taken.set(endpointId, before + 1);
      try {
        await work();
      } finally {
        const left = (taken.get(endpointId) ?? 1) - 1;
        if (left === 0) taken.delete(endpointId);
        else taken.set(endpointId, left);
      }
      return true;
    },
  };
}
