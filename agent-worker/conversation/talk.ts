// What leads a conversation in a room: our own turn logic, or a realtime server.
import {
  Conversation,
  type ConversationOptions,
  type ConversationSnapshot,
} from "../../src/conversation/conversation.ts";
import { SpeechDetector } from "../listening/speech-detector.ts";

export interface Talk {
  /** What was heard of the present act; empty if there is none. */
  readonly heardText: string;
  /** What the next process, or another talk, needs to go on. */
  readonly snapshot: ConversationSnapshot;
  /** Takes audio of the person's microphone: mono at 16 kHz. */
  hear(samples: Int16Array): void;
  /** The microphone is off or gone. */
  microphoneLost(): void;
  /** Says the greeting, unless something was said before. */
  greet(greeting: string): void;
  /** Goes on where another process or talk was interrupted. */
  goOn(snapshot: Pick<ConversationSnapshot, "heard" | "lines">): void;
  /** The person has typed something. */
  type(text: string): void;
  /** Says a line word for word. Resolves with true when it begins to be heard, with false if it is not. Throws
   *  EngineError unavailable if too many lines wait. */
  speak(line: string): Promise<boolean>;
  /** Tells the mind something, silently. */
  addContext(text: string): void;
  /** Ends what is said. Idempotent. */
  close(): Promise<void>;
}

/** Our own turn logic with the microphone's speech detector. */
export class OwnTalk implements Talk {
  readonly #conversation: Conversation;
  readonly #detector: SpeechDetector;

  constructor(options: ConversationOptions) {
    this.#conversation = new Conversation(options);
    this.#detector = new SpeechDetector({ onWindow: (window) => this.#conversation.hear(window) });
  }

  get heardText(): string {
    return this.#conversation.heardText;
  }

  get snapshot(): ConversationSnapshot {
    return this.#conversation.snapshot;
  }

  hear(samples: Int16Array): void {
    this.#detector.push(samples);
  }

  microphoneLost(): void {
    this.#detector.reset();
    this.#conversation.microphoneLost();
  }

  greet(greeting: string): void {
    this.#conversation.greet(greeting);
  }

  goOn(snapshot: Pick<ConversationSnapshot, "heard" | "lines">): void {
    this.#conversation.goOn(snapshot);
  }

  type(text: string): void {
    this.#conversation.type(text);
  }

  speak(line: string): Promise<boolean> {
    return this.#conversation.speak(line);
  }

  addContext(text: string): void {
    this.#conversation.addContext(text);
  }

  async close(): Promise<void> {
    this.#detector.close();
    await this.#conversation.close();
  }
}
