// Tells the worker what the next process of a conversation would need: as soon as it changes, but no more than once a
// second for long.
import { type BucketRate, TokenBucket } from "../../../program/token-bucket.ts";
import { type CheckpointChange, changeOf } from "./checkpoint-change.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";

/** What was heard is told once a second while the avatar speaks; a message that ends it need not wait. */
const RATE: BucketRate = { perSecond: 1, burst: 3 };

export interface CheckpointsOptions {
  /** What the worker knows; undefined: nothing. */
  known: ConversationCheckpoint | undefined;
  /** The checkpoint now. */
  read(): ConversationCheckpoint;
  /** Told by this, the worker knows the checkpoint. */
  tell(change: CheckpointChange, checkpoint: ConversationCheckpoint): void;
  /** How many are told. Default: three at once, one a second. */
  rate?: BucketRate;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #bucket: TokenBucket;
  #known: ConversationCheckpoint | undefined;
  /** Runs until a change may be told. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket(options.rate ?? RATE);
    this.#known = options.known;
  }

  /** Something has changed. */
  note(): void {
    if (this.#timer || this.#isClosed) return;
    const { waitMs } = this.#bucket;
    if (waitMs === 0) this.#tell();
    else this.#timer = setTimeout(() => this.#tell(), waitMs);
  }

  /** Tells no more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = undefined;
    const checkpoint = this.#options.read();
    const change = changeOf(this.#known, checkpoint);
    this.#known = checkpoint;
    if (!change) return;
    this.#bucket.take(1);
    this.#options.tell(change, checkpoint);
  }
}
