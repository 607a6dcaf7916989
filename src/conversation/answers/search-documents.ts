// Finds the sentences of documents that answer a question, by its words: no language model, no embeddings. A place
// answers a question if it holds enough of its words. Rare words count more, and a word that stands nowhere counts
// most, so that "Does the museum have a swimming pool?" finds nothing in a text about the museum.
import { primaryLanguage } from "../../speech/languages/languages.ts";
import { hasWantedKind, isCountOf } from "./answer-kinds.ts";
import { type DocumentPassage, type Place, placesOfEntry, placesOfPassage } from "./document-places.ts";
import { DocumentWords } from "./document-words.ts";
import { plainWords, withoutPhrases } from "./plain-words.ts";
import { readProductDocument } from "./product-document.ts";

/** Share of a question's weight that an answer holds at least. Chosen with the questions in `test/fixtures/answers`. */
const LEAST_SHARE = 0.55;
/** A word that means the same counts less. */
const ALIKE_SHARE = 0.85;
const WEAK_WEIGHT = 0.25;
const LEAST_WEIGHT = 0.15;
/** In a short document every word would be a frequent one. */
const LEAST_PARAGRAPHS = 20;
/** What a person does counts less than what it is done to: "How much is it to rent a canoe?" What the avatar is to do
 *  counts in full. */
const VERB_WEIGHT = 0.35;
const VERB = /\b(?:to|(?:can|could|may|should|do|does|will) (?:i|we|they|it)|do you|i|we) ([a-z]+)/g;
/** Words that are parts of a compound, or forms of a word, count less than the word ("campfire", "arrival"). */
const PART_SHARE = 0.75;
const SHORTEST_PART = 4;
const LONGEST_ENDING = 3;
/** What was asked before counts with a question that goes on from it ("And on Sundays?"). */
const EARLIER_WEIGHT = 0.6;
/** The agent's own documents come first. */
const OWN_BONUS = 0.1;
/** Of two places that hold the same of a question, the shorter one is about it. */
const FOCUS_BONUS = 0.12;
const SHORTEST_FOCUS = 3;
/** "How many books": "twenty books" is better than another number. */
const COUNT_BONUS = 0.2;

/** The next sentence is said, too, if it holds this share of the question. */
const NEXT_SHARE = 0.35;
/** "I own a bakery, could you greet people on our website?" Clauses of fewer words ask nothing. */
const SHORTEST_CLAUSE = 3;
const MAX_CLAUSES = 4;
const MAX_SENTENCES = 3;
const MAX_CHARACTERS = 320;
/** An answer that is shorter goes on with the next sentence. */
const SHORT_CHARACTERS = 25;

export interface DocumentQuestion {
  text: string;
  /** What was asked before, if the question goes on from it. */
  earlier?: string;
  /** A BCP 47 tag. */
  language: string;
}

/** Of the product's document, once it was searched. */
let productPlaces: readonly Place[] | undefined;

/** One to three sentences that answer a question, or the last of its clauses that can be answered; see `answerTo`. */
export function searchDocuments(question: DocumentQuestion, passages: readonly DocumentPassage[]): string | undefined {
  const whole = answerTo(question, passages);
  if (whole !== undefined) return whole;
  const clauses = question.text.match(/[^,;.!?]+[,;.!?]*/g) ?? [];
  if (clauses.length < 2) return undefined;
  for (const clause of clauses.slice(-MAX_CLAUSES).reverse()) {
    if (clause.trim().split(/\s+/).length < SHORTEST_CLAUSE) continue;
    const answer = answerTo({ ...question, text: clause }, passages);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** One to three sentences that answer a question, of the agent's own documents or, in English, of the product's;
 *  undefined if none does. */
function answerTo(question: DocumentQuestion, passages: readonly DocumentPassage[]): string | undefined {
  const { text, earlier = "", language } = question;
  const isEnglish = primaryLanguage(language) === "en";
  const words = new DocumentWords(language);
  if (isEnglish) productPlaces ??= readProductDocument().flatMap((entry) => placesOfEntry(entry, words));
  const own = passages.flatMap((passage) => placesOfPassage(passage, words));
  const places = [...own, ...(isEnglish && productPlaces ? productPlaces : [])];
  const plain = plainWords(text);
  const asked = new Asked(text, earlier, places, words);
  let best: { place: Place; score: number } | undefined;
  for (const place of places) {
    if (place.plainQuestion === plain) return place.sentences[0];
    if (!asked.isAnsweredBy(place)) continue;
    if (isEnglish && !hasWantedKind(text, place.sentences[place.index], place.question)) continue;
    const exactness = COUNT_BONUS * (isCountOf(text, place.sentences[place.index]) ? 1 : 0);
    const score =
      exactness + asked.shareIn(place) + asked.focusOf(place) + (place.question === undefined ? OWN_BONUS : 0);
    if (!best || score > best.score) best = { place, score };
  }
  return (
    best &&
    answerAt(
      best.place,
      (next, sentence) => asked.isPartlyIn(next) || (refersBack(next) && asked.isNewIn(next, sentence)),
    )
  );
}

/** The words of a question with what each weighs. */
class Asked {
  readonly #words: DocumentWords;
  readonly #paragraphs: number;
  readonly #weights = new Map<string, number>();
  readonly #total: number;
  /** All of its words say little, such as in "How do you know what to say?". */
  readonly #isVague: boolean;

  constructor(text: string, earlier: string, places: readonly Place[], words: DocumentWords) {
    this.#words = words;
    this.#paragraphs = Math.max(LEAST_PARAGRAPHS, new Set(places.map(({ sentences }) => sentences)).size);
    const stems = new Map(words.stems(earlier).map((stem) => [stem, EARLIER_WEIGHT]));
    for (const stem of words.stems(text)) stems.set(stem, 1);
    const verbs = [...plainWords(withoutPhrases(text)).matchAll(VERB)].flatMap(([, verb]) => words.stems(verb));
    const isForVerb = [...stems.keys()].every((stem) => verbs.includes(stem) || words.isWeak(stem));
    for (const stem of verbs) if (stems.has(stem) && !isForVerb) stems.set(stem, VERB_WEIGHT);
    this.#isVague = [...stems.keys()].every((stem) => words.isWeak(stem));
    for (const [stem, weight] of stems) {
      const weakness = words.isWeak(stem) && !this.#isVague ? WEAK_WEIGHT : 1;
      this.#weights.set(stem, weight * weakness * this.#rarity(stem, places));
    }
    this.#total = sum(this.#weights.values());
  }

  /** Whether a place holds enough. A vague question is answered where it is a way to ask. */
  isAnsweredBy(place: Place): boolean {
    if (this.#total === 0) return false;
    if (!this.#isVague) return this.shareIn(place) >= LEAST_SHARE;
    const isWay = [...this.#weights.keys()].every((stem) => place.own.has(stem));
    return isWay && place.question !== undefined && place.own.size <= this.#weights.size + 1;
  }

  shareIn({ stems, groups }: Pick<Place, "stems" | "groups">): number {
    let held = 0;
    for (const [stem, weight] of this.#weights) held += weight * this.#countIn(stem, stems, groups);
    return held / this.#total;
  }

  /** How much of a place the question wants. */
  focusOf({ own }: Place): number {
    const found = [...own].filter((stem) => this.#weights.has(stem)).length;
    return (FOCUS_BONUS * found) / Math.max(SHORTEST_FOCUS, own.size);
  }

  isPartlyIn(sentence: string): boolean {
    return this.shareIn(this.#read(sentence)) >= NEXT_SHARE;
  }

  /** Whether the next sentence has a word of the question that the one before lacks. */
  isNewIn(next: string, sentence: string): boolean {
    const [here, there] = [this.#read(sentence), this.#read(next)];
    return [...this.#weights.keys()].some(
      (stem) =>
        this.#countIn(stem, there.stems, there.groups) > 0.5 && this.#countIn(stem, here.stems, here.groups) === 0,
    );
  }

  #read(sentence: string): Pick<Place, "stems" | "groups"> {
    const stems = new Map(this.#words.stems(sentence).map((stem) => [stem, 1]));
    const groups = new Map([...stems.keys()].flatMap((stem) => this.#words.groups(stem).map((group) => [group, 1])));
    return { stems, groups };
  }

  /** 1 for a word that stands nowhere. */
  #rarity(stem: string, places: readonly Place[]): number {
    const holding = places.filter(({ stems, groups }) => this.#countIn(stem, stems, groups) > ALIKE_SHARE / 2);
    const count = new Set(holding.map(({ sentences }) => sentences)).size;
    const most = this.#paragraphs + 1;
    const rarity = Math.log(most / (count + 0.5)) / Math.log(most);
    return Math.max(LEAST_WEIGHT, Math.min(1, rarity));
  }

  /** How much the parts of a compound count, or the words that have this one as a part. */
  #partIn(stem: string, stems: Place["stems"]): number {
    let count = 0;
    for (const [other, share] of stems) {
      if (share > count && isPart(stem, other)) count = share;
    }
    return count;
  }

  #countIn(stem: string, stems: Place["stems"], groups: Place["groups"]): number {
    let count = stems.get(stem) ?? this.#partIn(stem, stems) * PART_SHARE;
    for (const group of this.#words.groups(stem)) count = Math.max(count, (groups.get(group) ?? 0) * ALIKE_SHARE);
    return count;
  }
}

/** Whether one word ends with the other, as a campfire is a fire, or is a longer form of it, as arrival of arrive. */
function isPart(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  if (short.length < SHORTEST_PART) return false;
  const isForm = short.length > SHORTEST_PART && long.length - short.length <= LONGEST_ENDING && long.startsWith(short);
  return isForm || long.endsWith(short);
}

/** The sentence, with the one before if it goes on from that, and the next one if that goes on or is wanted too. */
function answerAt({ sentences, index }: Place, isWanted: (next: string, sentence: string) => boolean): string {
  const first = index > 0 && goesOn(sentences[index]) ? index - 1 : index;
  let answer = sentences.slice(first, index + 1).join(" ");
  for (const next of sentences.slice(index + 1, first + MAX_SENTENCES)) {
    const belongs = goesOn(next) || isWanted(next, answer) || answer.length < SHORT_CHARACTERS;
    if (!belongs || answer.length + next.length > MAX_CHARACTERS) break;
    answer += ` ${next}`;
  }
  return answer;
}

/** Whether a sentence has a word for something that was named before. */
function refersBack(sentence: string): boolean {
  return /\b(?:it|its|they|them|their|this|these|there)\b/i.test(sentence);
}

/** Whether a sentence begins with a word for something in the one before. */
function goesOn(sentence: string): boolean {
  return /^(?:it|they|he|she|this|these|both|then)\b/i.test(sentence);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
