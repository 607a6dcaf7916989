// What speaks for a conversation: the avatar in its room, or the other end of a relay.

/** How an utterance ended. */
export interface UtteranceEnd {
  /** What was heard of it: all of it, or the words up to the cut. */
  heardText: string;
  /** True if it was stopped before its end. */
  interrupted: boolean;
  /** Why the voice failed; what had been made until then was heard. */
  error?: unknown;
}

/** Something that the avatar says, in pieces that come while it speaks. */
export interface SpokenUtterance {
  /** Appends text to be spoken; ignored after `end()`. */
  add(text: string): void;
  /** No more text comes. Idempotent. */
  end(): void;
  /** Silence at once. Nothing is lost. Idempotent. */
  pause(): void;
  /** Goes on from the start of the word that the pause has cut. Does nothing unless paused. */
  resume(): void;
  /** Silence at once, for good. Idempotent. */
  stop(): void;
  /** What was heard of it so far. */
  readonly heardText: string;
  /** Resolves when its first audio is heard with true, or with false if it ends unheard. */
  readonly started: Promise<boolean>;
  /** Resolves when it is over. Never rejects. */
  readonly ended: Promise<UtteranceEnd>;
}

/** One utterance at a time: the caller begins the next one when the last one has ended. */
export interface SpeechOutput {
  speak(): SpokenUtterance;
}
