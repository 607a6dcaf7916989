// What avatar sessions tell others.

export interface RoomJoin {
  userId: string;
  avatarSessionId: string;
  /** Null for a session without a stored agent. */
  agentCode: string | null;
  roomName: string;
  /** The avatar included. */
  participantCount: number;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** An avatar has joined its room; told once in a session. */
    "room.join": RoomJoin;
  }
}
