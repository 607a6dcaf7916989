// The domain event of a message.
declare module "../../kernel/events/events.ts" {
  interface DomainEvents {
    /** A message of a conversation is complete. Published once for each, in order. */
    "chat.push": {
      userId: string;
      avatarSessionId: string;
      /** Null for a session without a stored agent. */
      agentCode: string | null;
      role: "user" | "assistant";
      message: string;
      /** When it was said. */
      at: Date;
    };
  }
}

export {};
