// The line that a person types in, at the bottom of the conversation.
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { columnsOf } from "../../terminal/plain-text.ts";

export interface InputLineOptions {
  /** A terminal. */
  input: NodeJS.ReadableStream;
  /** Undefined where what is typed is shown by the terminal itself. */
  output: (Writable & { columns?: number }) | undefined;
  prompt: string;
  /** Closes the line. */
  signal: AbortSignal;
  /** Ctrl-C: readline takes it from the terminal. */
  onInterrupt(): void;
  /** A key was pressed. */
  onKey?(): void;
}

/** Where the terminal does not tell its width. */
const COLUMNS = 80;

export class InputLine {
  readonly #lines: Interface;
  readonly #output: InputLineOptions["output"];
  #isClosed = false;

  constructor({ input, output, prompt, signal, onInterrupt, onKey }: InputLineOptions) {
    this.#output = output;
    this.#lines = createInterface({ input, output, prompt, signal, terminal: output !== undefined });
    this.#lines.once("close", () => {
      this.hide();
      this.#isClosed = true;
    });
    this.#lines.once("SIGINT", onInterrupt);
    if (output && onKey) input.on("keypress", () => this.#isClosed || onKey());
  }

  /** Whether something is typed that was not sent yet. */
  get isTyping(): boolean {
    return this.#output !== undefined && this.#lines.line !== "";
  }

  /** Lines as they are sent, until Ctrl-D. */
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this.#lines[Symbol.asyncIterator]();
  }

  /** Removes the line, so that something else can be written in its place. */
  hide(): void {
    if (this.#output === undefined || this.#isClosed) return;
    moveCursor(this.#output, 0, -this.#lines.getCursorPos().rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
  }

  /** Writes it below what was written, as it was. Readline's own way moves up by rows that are gone. */
  show(): void {
    if (this.#output === undefined || this.#isClosed) return;
    const text = this.#lines.getPrompt() + this.#lines.line;
    const columns = this.#output.columns ?? COLUMNS;
    const [rowsBelow, rest] = [Math.floor(columnsOf(text) / columns), columnsOf(text) % columns];
    // A terminal stays in a full row until it gets another letter.
    this.#output.write(rowsBelow > 0 && rest === 0 ? `${text} ` : text);
    const { rows, cols } = this.#lines.getCursorPos();
    moveCursor(this.#output, 0, rows - rowsBelow);
    cursorTo(this.#output, cols);
  }

  close(): void {
    this.#lines.close();
  }
}
