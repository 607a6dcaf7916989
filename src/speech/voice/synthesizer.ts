// What a voice asks for: single tasks, performed in another process.

export interface Synthesizer<Task, Spoken> {
  /** Throws EngineError: unavailable (no synthesizer, too much waiting, or closed), timeout or program-failed. */
  speak(task: Task): Promise<Spoken>;
  /** Starts ahead of the first task what that needs. Safe to repeat. Never throws. */
  warmUp?(): void;
  /** Tasks not yet done fail. Idempotent. */
  close(): Promise<void>;
}
