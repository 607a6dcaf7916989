// The messages of one call on their way to the other process: bounded, because a process that is busy reads later.
import { EVENT_OVERHEAD_BYTES } from "../paced-socket.ts";

/** Above this many unsent bytes the sender should wait. */
const FULL_BYTES = 1024 * 1024;
/** Below this many it may go on. */
const DRAINED_BYTES = 256 * 1024;

export interface MessageQueueOptions<Message> {
  /** Sends a message; `onSent` is called once the system has taken it, or it is lost. */
  post(message: Message, onSent: () => void): void;
  /** Called once `send` has returned false and more may be sent. */
  onDrain(): void;
}

export class MessageQueue<Message> {
  readonly #options: MessageQueueOptions<Message>;
  #unsentBytes = 0;
  #isFull = false;
  /** The other side has said that it takes no more. */
  #isPaused = false;

  constructor(options: MessageQueueOptions<Message>) {
    this.#options = options;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Returns false if the sender should wait for `onDrain`; the message is sent all the same. */
  send(message: Message, dataBytes: number): boolean {
    const bytes = dataBytes + EVENT_OVERHEAD_BYTES;
    this.#unsentBytes += bytes;
    this.#options.post(message, () => {
      this.#unsentBytes -= bytes;
      this.#check();
    });
    this.#isFull ||= this.#isPaused || this.#unsentBytes > FULL_BYTES;
    return !this.#isFull;
  }

  /** The other side takes no more. */
  pause(): void {
    this.#isPaused = true;
    this.#isFull = true;
  }

  /** The other side takes more again. */
  resume(): void {
    this.#isPaused = false;
    this.#check();
  }

  #check(): void {
    if (!this.#isFull || this.#isPaused || this.#unsentBytes > DRAINED_BYTES) return;
    this.#isFull = false;
    this.#options.onDrain();
  }
}
