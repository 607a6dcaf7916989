// Parts of speech of an English sentence, for words that sound otherwise as another part: `object`, `wind`, `read`.
import type { SpeechPart } from "./lexicon.ts";

/** A word of a line and where it starts in it. */
export interface LineWord {
  text: string;
  from: number;
}

/** The parts of speech that each word may be looked up as, the likeliest first. */
export type TagWords = (line: string, words: readonly LineWord[]) => SpeechPart[][];

interface Term {
  text: string;
  tags: string[];
  offset: { start: number };
}

/** Loads `compromise` (29 MB), the tagger. */
export async function loadTagger(): Promise<TagWords> {
  const { default: nlp } = await import("compromise");
  return (line, words) => {
    const sentences = nlp(line).terms().json({ offset: true }) as { terms: Term[] }[];
    const terms = sentences.flatMap((sentence) => sentence.terms);
    let next = 0;
    return words.map((word, index) => {
      // The parts of a contraction start where their word does.
      while (next < terms.length - 1 && terms[next].offset.start + terms[next].text.length <= word.from) next++;
      const tags = new Set(terms[next]?.tags ?? []);
      return partsOf(tags, words, index);
    });
  };
}

const PENN: readonly (readonly [tag: string, parts: readonly SpeechPart[]])[] = [
  ["PastTense", ["VBD", "VBN", "VERB"]],
  ["Participle", ["VBN", "VERB"]],
  ["Verb", ["VERB"]],
  ["Adjective", ["ADJ"]],
  ["Adverb", ["ADV"]],
  ["Noun", ["NOUN"]],
];
const AUXILIARY =
  /^(?:have|has|had|having|was|were|is|are|be|been|being|i've|we've|you've|they've|he'd|she'd|i'd|got)$/;
const INFINITIVE =
  /^(?:to|will|would|can|could|should|shall|must|may|might|do|did|does|don't|didn't|please|let's|let)$/;
const DETERMINER = /^(?:the|a|an|this|that|these|those|my|your|his|her|its|our|their|some|any|no|each|every)$/;
const SUBJECT = /^(?:i|you|he|she|it|we|they|who)$/;
const NO_NOUN = /^(?:|i|you|he|she|it|we|they|there|is|was|are|were|has|had|have|will|would|can|the|a|an)$/;
const THIRD_PERSON = /^(?:he|she|it)$/;
const LONG_AGO = /^(?:yesterday|ago|last|already|once|previously|earlier|before|then)$/;
const PAST_FORM = /(?:ed|was|were|had|did|said|went|told|wrote|came|saw|took)$/;

function partsOf(tags: ReadonlySet<string>, words: readonly LineWord[], index: number): SpeechPart[] {
  const lower = words.map(({ text }) => text.toLowerCase());
  const word = lower[index];
  const before = lower[index - 1] ?? "";
  if (word === "read") return isPast(lower, index) ? ["VBD"] : [];
  if (word === "used") return lower[index + 1] === "to" && !/^(?:is|are|was|were|be|been)$/.test(before) ? ["VBD"] : [];
  if (word === "that") return tags.has("Determiner") && !NO_NOUN.test(lower[index + 1] ?? "") ? ["DT"] : [];
  // What stands behind an article is no verb, and what stands behind "to" or "will" is one.
  const isNamed = DETERMINER.test(before);
  if (INFINITIVE.test(before) && !isNamed && word !== before)
    return before === "to" && tags.has("Noun") ? ["VERB", "NOUN"] : ["VERB"];
  const parts = PENN.filter(([tag]) => tags.has(tag)).flatMap(([, names]) => names);
  // `was wound`, `has read`: a participle, whatever it looks like.
  if (AUXILIARY.test(before)) return ["VBN", ...parts];
  // `they wound`, but not `are they present`.
  if (SUBJECT.test(before) && !AUXILIARY.test(lower[index - 2] ?? "")) return ["VERB", "VBD", ...parts];
  return isNamed ? parts.filter((part) => part === "NOUN" || part === "ADJ") : parts;
}

/** `read` has one spelling for both tenses. */
function isPast(words: readonly string[], index: number): boolean {
  const near = words.slice(Math.max(0, index - 2), index);
  if (near.some((word) => AUXILIARY.test(word))) return true;
  if (near.some((word) => INFINITIVE.test(word))) return false;
  if (THIRD_PERSON.test(words[index - 1] ?? "")) return true;
  // Without a subject it is a request.
  if (index === 0) return false;
  return words.some((word, at) => at !== index && (LONG_AGO.test(word) || (word.length > 3 && PAST_FORM.test(word))));
}
