// Tells the worker what the next process of a conversation would need: at once if that has not happened within the last
// second, and otherwise when the second is over.
import { type CheckpointChange, changeOf } from "./checkpoint-change.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";

const INTERVAL_MS = 1_000;

export interface CheckpointsOptions {
  /** What the worker knows; undefined: nothing. */
  known: ConversationCheckpoint | undefined;
  /** The checkpoint now. */
  read(): ConversationCheckpoint;
  /** Told by this, the worker knows the checkpoint. */
  tell(change: CheckpointChange, checkpoint: ConversationCheckpoint): void;
  /** Shortest time between two of them, ms. Default 1,000. */
  intervalMs?: number;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #known: ConversationCheckpoint | undefined;
  /** Runs for a second after each. */
  #pause: NodeJS.Timeout | undefined;
  #isDue = false;
  #isClosed = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
    this.#known = options.known;
  }

  /** Something has changed. */
  note(): void {
    this.#isDue = true;
    if (!this.#pause && !this.#isClosed) this.#tell();
  }

  /** Tells no more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#pause);
  }

  #tell(): void {
    const { read, tell, intervalMs = INTERVAL_MS } = this.#options;
    this.#isDue = false;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isDue) this.#tell();
    }, intervalMs);
    const checkpoint = read();
    const change = changeOf(this.#known, checkpoint);
    this.#known = checkpoint;
    if (change) tell(change, checkpoint);
  }
}
