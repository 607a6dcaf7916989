// What the listener of a conversation is told: each message, and each state once. It is apart from what the
// conversation does: a paused avatar shows that it listens, and still has its act.
import type { ConversationHistory } from "./conversation-history.ts";
import type { ConversationListener, ConversationState, SpokenMessage } from "./conversation-listener.ts";

export class ConversationReporter {
  readonly #listener: ConversationListener;
  readonly #history: ConversationHistory;
  #shown: ConversationState = "listening";
  #isPersonSpeaking = false;
  #turnCount = 1;

  /** `history` gets the messages, too. */
  constructor(listener: ConversationListener, history: ConversationHistory) {
    this.#listener = listener;
    this.#history = history;
  }

  /** The state that was told last. */
  get shown(): ConversationState {
    return this.#shown;
  }

  /** Whether the person speaks, as it was told last. */
  get isPersonSpeaking(): boolean {
    return this.#isPersonSpeaking;
  }

  show(state: ConversationState): void {
    if (state === this.#shown) return;
    this.#shown = state;
    this.#listener.onState(state);
  }

  showSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isPersonSpeaking) return;
    this.#isPersonSpeaking = isSpeaking;
    this.#listener.onPersonSpeaking(isSpeaking);
  }

  /** The words of the present turn; the final ones end it, and are not told if there are none. */
  showWords(text: string, isFinal: boolean): void {
    const id = `person-${this.#turnCount}`;
    if (isFinal) this.#turnCount += 1;
    if (!isFinal || text.trim() !== "") this.#listener.onPersonText({ id, text, isFinal });
  }

  /** A message is complete. */
  add(message: SpokenMessage): void {
    this.#history.add({ role: message.role, text: message.text });
    this.#listener.onMessage(message);
    this.#listener.onChange();
  }

  /** The model is to know something. */
  addContext(text: string): void {
    this.#history.add({ role: "context", text });
    this.#listener.onChange();
  }
}
