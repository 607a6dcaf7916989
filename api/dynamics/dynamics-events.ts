// Domain events of agents' gestures.

interface DynamicsEvent {
  userId: string;
  agentCode: string;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** An agent has gestures of its own. */
    "dynamics.ready": DynamicsEvent & { actions: string[] };
    /** Gestures could not be made; a charge was refunded. */
    "dynamics.failed": DynamicsEvent & { error: string };
  }
}

export type { DynamicsEvent };
