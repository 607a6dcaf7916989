/** One way to show the answer. */
export interface Speaker {
  /** Says it from the start; call it from a tap. Resolves at the end, or when it is stopped. Rejects with SoundBlocked,
   *  or if this way fails. */
  play(): Promise<void>;
  stop(): void;
  /** Idempotent. */
  close(): void;
}

/** What a way needs from the page. */
export interface SpeakerPlace {
  /** Where it is shown. */
  place: HTMLElement;
  onProgress(share: number): void;
}
