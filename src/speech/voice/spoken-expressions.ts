// When the face shows the expressions that a text has tags for.
import type { Expression } from "../../../shared/expressions.ts";
import { type ExpressionTag, takeExpressionTags } from "../text/expression-tags.ts";
import type { SentenceTimes } from "./voice.ts";

export interface TimedExpression {
  expression: Expression;
  /** From the start of the utterance. */
  atMs: number;
}

/** The tags of one utterance, in the order in which the voice makes its audio. */
export class SpokenExpressions {
  #text = "";
  /** Tags of words that the voice has not made yet. */
  #tags: readonly ExpressionTag[] = [];
  /** Where the sentence begins that is looked for next. */
  #from = 0;
  readonly #timed: TimedExpression[] = [];

  /** The voice gets a text: returns it without its tags. Those behind the last word of the text before belong to its
   *  first word. */
  begin(tagged: string): string {
    const { text, tags } = takeExpressionTags(tagged);
    const left = this.#tags.map(({ expression }) => ({ expression, at: 0 }));
    this.#text = text;
    this.#tags = [...left, ...tags];
    this.#from = 0;
    return text;
  }

  /** The voice has made audio that starts at `startMs`: that of a sentence, if it tells. */
  made(sentence: Pick<SentenceTimes, "text" | "words"> | undefined, startMs: number): void {
    if (this.#tags.length === 0) return;
    if (sentence) this.#place(sentence, startMs);
    else if (this.#tags[0].at === 0) this.#take(1, () => startMs);
  }

  /** All that is known so far, in order. */
  get timed(): readonly TimedExpression[] {
    return this.#timed;
  }

  /** What is set last before the audio at `ms`, or with it; undefined if nothing is. */
  at(ms: number): Expression | undefined {
    return this.#timed.findLast(({ atMs }) => atMs <= ms)?.expression;
  }

  /** What is set from `fromMs` on, before `untilMs`, in order. `goesOn`: with what was set before, at `fromMs`. */
  between(fromMs: number, untilMs: number, goesOn: boolean): TimedExpression[] {
    const before = this.#timed.findLast(({ atMs }) => atMs <= fromMs);
    const later = this.#timed.filter(({ atMs }) => atMs > fromMs && atMs < untilMs);
    const isNow = before !== undefined && (goesOn || before.atMs === fromMs);
    return isNow ? [{ ...before, atMs: fromMs }, ...later] : later;
  }

  #place({ text, words }: Pick<SentenceTimes, "text" | "words">, startMs: number): void {
    const last = words.at(-1);
    const found = this.#text.indexOf(text, this.#from);
    const end = last ? last.toCharacter : found < 0 ? this.#text.length : found + text.length;
    this.#from = Math.max(this.#from, end);
    const count = this.#tags.filter(({ at }) => at < end).length;
    this.#take(count, ({ at }) => {
      // A tag in front of all words is there from the start.
      const word = at === 0 ? undefined : words.find(({ toCharacter }) => toCharacter > at);
      return startMs + (word?.startMs ?? 0);
    });
  }

  #take(count: number, timeOf: (tag: ExpressionTag) => number): void {
    for (const tag of this.#tags.slice(0, count)) {
      this.#timed.push({ expression: tag.expression, atMs: timeOf(tag) });
    }
    this.#tags = this.#tags.slice(count);
  }
}
