// Domain events of avatar sessions.

interface RoomJoin {
  userId: string;
  avatarSessionId: string;
  /** Null for a session without a stored agent. */
  agentCode: string | null;
  roomName: string;
  /** Everyone in the room, the avatar included; at least 2. */
  participantCount: number;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** A conversation has begun: its avatar and a person are in the room. Published once in a conversation, and never
     *  for an avatar in a caller's room or on the caller's own machine. */
    "room.join": RoomJoin;
  }
}
