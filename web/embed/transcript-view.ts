// Shows the transcript: the newest line is at the bottom and in view, unless the visitor has scrolled up to read.
import { findElement } from "../shared/find-element.ts";
import type { Speaker, Transcript, TranscriptLine } from "./transcript.ts";

/** The view follows the newest line if it ends at most this far below what is seen, in CSS pixels. */
const FOLLOWING_PX = 40;

export class TranscriptView {
  readonly #box = findElement("transcript", HTMLElement);
  readonly #lines = findElement("lines", HTMLOListElement);
  readonly #interim = findElement("interim", HTMLElement);
  readonly #noLines = findElement("no-lines", HTMLElement);
  /** Rows by the number of their line. */
  readonly #rows = new Map<number, { row: HTMLLIElement; words: HTMLElement }>();
  /** Name of the visitor in lines. */
  readonly #you: string;
  #avatarName = "Avatar";
  #isFollowing = true;

  constructor(you: string) {
    this.#you = you;
    this.#box.addEventListener("scroll", () => {
      this.#isFollowing = this.#isAtEnd();
    });
    // A telephone that is turned has less room.
    new ResizeObserver(() => this.#follow()).observe(this.#box);
  }

  /** Name of the avatar in lines from now on. */
  setName(name: string): void {
    this.#avatarName = name;
  }

  show({ lines, interim }: Transcript): void {
    const kept = new Set(lines.map(({ number }) => number));
    for (const [number, { row }] of this.#rows) {
      if (kept.has(number)) continue;
      row.remove();
      this.#rows.delete(number);
    }
    for (const line of lines) {
      const shown = this.#rows.get(line.number);
      if (!shown) this.#add(line);
      else extend(shown.words, line.text);
    }
    this.#interim.textContent = interim;
    this.#interim.hidden = interim === "";
    this.#noLines.hidden = lines.length > 0 || interim !== "";
    this.#follow();
  }

  #add({ number, speaker, text }: TranscriptLine): void {
    const row = document.createElement("li");
    row.className = "line";
    row.dataset.speaker = speaker;
    const name = document.createElement("span");
    name.className = "hidden";
    name.textContent = `${this.#nameOf(speaker)}: `;
    const words = document.createElement("span");
    words.textContent = text;
    row.append(name, words);
    const later = [...this.#rows].filter(([other]) => other > number).sort(([a], [b]) => a - b);
    this.#lines.insertBefore(row, later.at(0)?.[1].row ?? null);
    this.#rows.set(number, { row, words });
  }

  #nameOf(speaker: Speaker): string {
    return speaker === "visitor" ? this.#you : this.#avatarName;
  }

  #follow(): void {
    if (this.#isFollowing) this.#box.scrollTop = this.#box.scrollHeight;
  }

  #isAtEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    return scrollHeight - scrollTop - clientHeight <= FOLLOWING_PX;
  }
}

/** Adds the words that are new as a text of their own: a screen reader reads only these. */
function extend(words: HTMLElement, text: string): void {
  const before = words.textContent ?? "";
  if (text.startsWith(before)) words.append(text.slice(before.length));
  else words.textContent = text;
}
