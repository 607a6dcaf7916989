// How an agent is shared with the public: visitors of its public page need no embed token from its owner.

export interface AgentSharing {
  isPublic: boolean;
  /** Sites that may show the public page in a frame, as CSP host sources. Empty: no other site. */
  origins: readonly string[];
  /** Minutes of conversation that one visitor may have in a day. */
  visitorMinutesPerDay: number;
  /** Sessions of all visitors together that may begin in a day. */
  sessionsPerDay: number;
}

/** The setting until the owner makes one. */
export const NOT_SHARED: AgentSharing = Object.freeze({
  isPublic: false,
  origins: Object.freeze([]),
  visitorMinutesPerDay: 30,
  sessionsPerDay: 100,
});
