// What kind of thing an English question wants. A sentence without one does not answer it.

const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|sixty|hundred|half)\b/i;
const TIME = new RegExp(
  `${NUMBER.source}|\\b(?:\\w+day|morning|noon|evening|night|daily|january|february|march|april|may|june|july|august|` +
    "september|october|november|december|spring|summer|autumn|winter|first|second|third|last)s?\\b",
  "i",
);
const NAME = /\s[A-Z][a-z]+ [A-Z][a-z]+/;

const KINDS: readonly { question: RegExp; answer: RegExp }[] = [
  { question: /\bhow (?:many|old|tall|high|far|heavy)\b/i, answer: NUMBER },
  { question: /\bwhen\b|\bwhat time\b/i, answer: TIME },
  { question: /\bwho(?:'s)?\b/i, answer: NAME },
];

/** Whether a sentence may answer a question. `way`: another question with the same answer. */
export function hasWantedKind(question: string, sentence: string, way: string | undefined): boolean {
  const kind = KINDS.find(({ question: pattern }) => pattern.test(question));
  return !kind || kind.answer.test(sentence) || (way !== undefined && kind.question.test(way));
}

/** Whether a sentence counts what a question wants counted: "How many books …" and "twenty books". */
export function isCountOf(question: string, sentence: string): boolean {
  const [, counted] = /\bhow many ([a-z]{3,40})/i.exec(question) ?? [];
  if (counted === undefined) return false;
  const [singular] = counted.toLowerCase().split(/s$/);
  return new RegExp(`(?:${NUMBER.source})\\w*(?: \\w+)? ${singular}`, "i").test(sentence);
}
