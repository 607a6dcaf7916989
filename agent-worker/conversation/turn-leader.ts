// What leads the turns of a conversation in a room: our own turn logic, or a realtime server.
import type { ConversationSnapshot } from "../../src/conversation/turns/conversation.ts";

export interface TurnLeader {
  /** What was heard of the present act; empty if there is none. */
  readonly heardText: string;
  /** What the next process, or another leader, needs to go on. */
  readonly snapshot: ConversationSnapshot;
  /** Takes audio of the person's microphone: mono at 16 kHz. */
  pushAudio(samples: Int16Array): void;
  /** The microphone is off or gone. */
  microphoneLost(): void;
  /** Says the greeting, unless something was said before. */
  greet(greeting: string): void;
  /** Goes on where another process or leader was interrupted. */
  goOn(snapshot: Pick<ConversationSnapshot, "heard" | "lines">): void;
  /** The person has typed something. */
  type(text: string): void;
  /** Says a line word for word. Resolves with true when it begins to be heard, with false if it is not. Throws
   *  EngineError unavailable if too many lines wait. */
  speak(line: string): Promise<boolean>;
  /** Tells the language model something, silently. */
  addContext(text: string): void;
  /** Ends what is said. Idempotent. */
  close(): Promise<void>;
}
