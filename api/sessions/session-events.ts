// Domain events of avatar sessions.

interface RoomJoin {
  userId: string;
  avatarSessionId: string;
  /** Null for a session without a stored agent. */
  agentCode: string | null;
  roomName: string;
  /** Participants of the room, the avatar included. */
  participantCount: number;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** An avatar has joined its room for the first time. Published once in a session. */
    "room.join": RoomJoin;
  }
}
