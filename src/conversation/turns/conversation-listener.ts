// What a conversation tells as it goes.

export type ConversationState = "listening" | "thinking" | "speaking";

/** A complete message. */
export interface SpokenMessage {
  role: "user" | "assistant";
  /** What was said; of the avatar, what was heard. */
  text: string;
  /** When it began to be heard, or had been said. */
  at: Date;
  /** Of an answer to a turn. */
  times?: TurnTimes;
}

/** How long the parts of an answer took, ms from the end of speech (or from the typed text). */
export interface TurnTimes {
  isTyped: boolean;
  textMs: number;
  decidedMs: number;
  /** Undefined if the answer has no text. */
  firstPieceMs: number | undefined;
  /** Undefined if nothing was heard. */
  firstSoundMs: number | undefined;
}

/** What the person said in a turn. */
export interface TurnWords {
  text: string;
  /** Probability of the recognised words, 0 to 1; undefined for a typed turn, and if the recogniser does not tell. */
  confidence: number | undefined;
}

export type ConversationFault = "stt" | "llm" | "voice";

export interface ConversationListener {
  onState(state: ConversationState): void;
  /** The person speaks, or has stopped. */
  onPersonSpeaking(isSpeaking: boolean): void;
  /** What the person says: interim texts of one id, then the final one. */
  onPersonText(text: { id: string; text: string; isFinal: boolean }): void;
  /** Once for each message, in order. */
  onMessage(message: SpokenMessage): void;
  /** Something that a new process would have to know has changed. */
  onChange(): void;
  onTurn(times: TurnTimes, words: TurnWords): void;
  onFault(part: ConversationFault, error: unknown): void;
}
