// Lines that the avatar is told to say word for word. Each waits until the avatar has the floor, and for the person's
// sentence, but not for long.
import { EngineError } from "../../../shared/engine-error.ts";

const MAX_LINES = 20;
/** A line waits this long for the person to finish, ms. */
const LONGEST_WAIT_MS = 3_000;

export interface WaitingLinesOptions {
  /** Whether nothing else is said or about to be. */
  mayBegin(): boolean;
  isPersonSpeaking(): boolean;
  /** Says a line; resolves when it begins to be heard with true, or with false if it does not. */
  begin(line: string): Promise<boolean>;
  onChange(): void;
}

interface WaitingLine {
  line: string;
  /** Said even if the person speaks. */
  isDue: boolean;
  timer: NodeJS.Timeout;
  resolve(isHeard: boolean): void;
}

export class WaitingLines {
  readonly #options: WaitingLinesOptions;
  #lines: WaitingLine[] = [];
  /** Begun, and not heard yet. */
  #begun: string[] = [];

  constructor(options: WaitingLinesOptions) {
    this.#options = options;
  }

  /** Lines of which nothing was heard, in order. */
  get waiting(): string[] {
    return [...this.#begun, ...this.#lines.map(({ line }) => line)];
  }

  /** Resolves with true when the line begins to be heard. Throws EngineError unavailable if too many wait. */
  async add(line: string): Promise<boolean> {
    if (this.#lines.length >= MAX_LINES) throw new EngineError("unavailable", "Too many messages are waiting.");
    return this.#append(line);
  }

  /** Adds lines that another process could not say, however many. */
  restore(lines: readonly string[]): void {
    for (const line of lines) void this.#append(line);
  }

  #append(line: string): Promise<boolean> {
    const heard = new Promise<boolean>((resolve) => {
      const waiting: WaitingLine = {
        line,
        isDue: false,
        timer: setTimeout(() => {
          waiting.isDue = true;
          this.look();
        }, LONGEST_WAIT_MS),
        resolve,
      };
      this.#lines.push(waiting);
    });
    this.#options.onChange();
    this.look();
    return heard;
  }

  /** Begins the next line if it may begin. Called whenever that may have changed. */
  look(): void {
    const { mayBegin, isPersonSpeaking, begin, onChange } = this.#options;
    const next = this.#lines.at(0);
    if (!next || !mayBegin() || (isPersonSpeaking() && !next.isDue)) return;
    this.#lines.shift();
    clearTimeout(next.timer);
    this.#begun.push(next.line);
    void begin(next.line).then((isHeard) => {
      this.#begun = this.#begun.filter((line) => line !== next.line);
      next.resolve(isHeard);
      onChange();
    });
  }

  /** Drops all lines. */
  close(): void {
    for (const { timer, resolve } of this.#lines) {
      clearTimeout(timer);
      resolve(false);
    }
    this.#lines = [];
  }
}
