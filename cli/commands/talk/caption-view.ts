// Shows who says what, as it is said.
import type { ShownText } from "../../conversation/scripted-person.ts";
import { columnsOf, plainText } from "../../terminal/plain-text.ts";

export interface SaidMessage {
  role: "user" | "assistant";
  text: string;
}

export interface CaptionOptions {
  /** Shown before what the avatar says. */
  name: string;
  /** Writes whole lines; undefined: nothing is shown. */
  write: ((text: string) => void) | undefined;
  /** Width of the terminal, in which the last line grows; undefined: only whole sentences are written. */
  columns(): number | undefined;
}

/** The line that a person types in. */
export interface TypedLine {
  readonly isTyping: boolean;
  hide(): void;
  show(): void;
}

const ERASE_LINE = "\r\u001b[2K";
const UP = "\u001b[1A";
export const YOU = "You";

export class CaptionView {
  readonly #options: CaptionOptions;
  /** By segment, in the order of their beginning. */
  readonly #said = new Map<string, SaidMessage>();
  #hasLine = false;
  #typed: TypedLine | undefined;

  constructor(options: CaptionOptions) {
    this.#options = options;
  }

  /** What was said so far, without what is empty. */
  get messages(): SaidMessage[] {
    return [...this.#said.values()].filter(({ text }) => text !== "");
  }

  /** `isOwn`: what the person said, as the service has understood it. */
  show({ segmentId, text, isFinal }: ShownText, isOwn: boolean): void {
    const message: SaidMessage = { role: isOwn ? "user" : "assistant", text: plainText(text) };
    this.#said.set(segmentId, message);
    if (message.text === "") return;
    if (isFinal) this.note(this.#lineOf(message));
    else this.#grow(this.#lineOf(message));
  }

  /** From now on, what is written stays above this line, and a line grows in its place only while it is empty. */
  attach(typed: TypedLine): void {
    this.#typed = typed;
    if (!this.#hasLine) typed.show();
  }

  /** The person has begun to type: what grows is written when it is complete. */
  yield(): void {
    if (!this.#hasLine || !this.#typed?.isTyping) return;
    this.#hasLine = false;
    this.#typed.hide();
    this.#typed.show();
  }

  /** An empty line was sent: the terminal has gone on to the next row. */
  skip(): void {
    if (this.#hasLine) this.#options.write?.(UP);
    else this.#typed?.show();
  }

  /** A line was sent: the next one can be typed. */
  ready(): void {
    if (!this.#hasLine) this.#typed?.show();
  }

  /** What the person typed; a terminal shows it already. */
  typed(text: string, isShown: boolean): void {
    const message: SaidMessage = { role: "user", text: plainText(text) };
    this.#said.set(`typed-${this.#said.size}`, message);
    if (!isShown) this.note(this.#lineOf(message));
  }

  /** Writes a whole line. */
  note(line: string): void {
    if (!this.#hasLine) this.#typed?.hide();
    this.#options.write?.(`${this.#hasLine ? ERASE_LINE : ""}${line}\n`);
    this.#hasLine = false;
    this.#typed?.show();
  }

  /** The end of a line that grows: a terminal scrolls where it wraps, and then cannot replace it. */
  #grow(line: string): void {
    const { write } = this.#options;
    const columns = this.#options.columns();
    if (columns === undefined || write === undefined || this.#typed?.isTyping) return;
    const letters = [...line];
    while (columnsOf(letters.join("")) >= columns) letters.shift();
    write(`${ERASE_LINE}${letters.join("")}`);
    this.#hasLine = true;
  }

  #lineOf({ role, text }: SaidMessage): string {
    return `${role === "user" ? YOU : this.#options.name}: ${text}`;
  }
}
