// Domain events of agents.

interface AgentEvent {
  userId: string;
  agentCode: string;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** An agent can be launched. */
    "agent.ready": AgentEvent;
    /** The creation of an agent failed. */
    "agent.failed": AgentEvent & { error: string };
    /** An agent was deleted. */
    "agent.deleted": AgentEvent;
    /** An agent is not public, and may have been before. */
    "agent.unshared": AgentEvent;
  }
}

export type { AgentEvent };
