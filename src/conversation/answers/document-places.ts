// The places of documents where an answer may stand: each sentence of a passage, and each question of an entry of the
// product's document.
import type { KnowledgePassage } from "../../../shared/runtime-api.ts";
import type { DocumentWords } from "./document-words.ts";
import { plainWords } from "./plain-words.ts";
import type { ProductEntry } from "./product-document.ts";

/** A word of the sentence itself counts 1; in its heading, or in other ways to ask, and around it, less. */
const HEADING_SHARE = 0.8;
const AROUND_SHARE = 0.5;
/** A first sentence of a paragraph that has no more words than this is its heading. */
const MAX_HEADING_WORDS = 5;
const MAX_TITLE_WORDS = 10;

/** Paragraphs, and the entries of a list. */
const PARAGRAPHS = /\n\s*\n|\n(?=\s*(?:[-*•]|\d{1,3}[.)])\s)/;
const LIST_MARK = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;
/** After these a sentence goes on. */
const ABBREVIATION = /\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nr)\.$/;
/** Not to be read aloud. */
const MARKUP = /[*_`]+|^#+ /gm;

/** Of an agent's own document. */
export type DocumentPassage = Pick<KnowledgePassage, "heading" | "text">;

export interface Place {
  /** Of the paragraph or entry. */
  sentences: readonly string[];
  /** Of the sentence that may be the answer. */
  index: number;
  /** The way to ask for it; undefined in a passage. As it is, and in plain words. */
  question?: string;
  plainQuestion?: string;
  /** Stems of the question, or of the sentence. */
  own: ReadonlySet<string>;
  /** How much each stem counts that stands here, and each group of words that mean the same. */
  stems: ReadonlyMap<string, number>;
  groups: ReadonlyMap<number, number>;
}

type Field = readonly [stems: readonly string[], share: number];

/** The places of an entry. */
export function placesOfEntry({ questions, answer }: ProductEntry, words: DocumentWords): Place[] {
  const around = words.stems(`${questions.join(" ")} ${answer}`);
  const sentences = [answer];
  return questions.map((question) => {
    const own = words.stems(question);
    return {
      sentences,
      index: 0,
      question,
      plainQuestion: plainWords(question),
      ...counted(words, own, [around, HEADING_SHARE]),
    };
  });
}

/** The places of a passage. A headed paragraph is also one as a whole, by its heading. */
export function placesOfPassage({ heading, text }: DocumentPassage, words: DocumentWords): Place[] {
  let title = heading;
  return text.split(PARAGRAPHS).flatMap((paragraph): Place[] => {
    const plain = paragraph.replace(LIST_MARK, "").replaceAll(MARKUP, "").replace(/\s+/g, " ").trim();
    if (!LIST_MARK.test(paragraph) && isTitle(plain)) {
      title = `${heading} ${plain}`;
      return [];
    }
    return placesOfParagraph(sentencesOf(plain), title, words);
  });
}

/** A line without an end, and without a figure. */
function isTitle(text: string): boolean {
  return text.split(" ").length <= MAX_TITLE_WORDS && !/[.!?:;\d]$|\d/.test(text);
}

function placesOfParagraph(all: readonly string[], title: string, words: DocumentWords): Place[] {
  const isHeaded = all.length > 1 && all[0].split(" ").length <= MAX_HEADING_WORDS;
  const sentences = isHeaded ? all.slice(1) : all;
  const headings = words.stems(`${title} ${isHeaded ? all[0] : ""}`);
  const place = (index: number, own: readonly string[]): Place => {
    const around = words.stems(sentences.slice(Math.max(0, index - 1), index + 2).join(" "));
    return { sentences, index, ...counted(words, own, [around, AROUND_SHARE], [headings, HEADING_SHARE]) };
  };
  const places = sentences.map((sentence, index) => place(index, words.stems(sentence)));
  return headings.length > 0 && sentences.length > 0 ? [...places, place(0, headings)] : places;
}

/** Later fields count more, and `own` most. */
function counted(words: DocumentWords, own: readonly string[], ...fields: readonly Field[]) {
  const all: readonly Field[] = [...fields, [own, 1]];
  const stems = new Map(all.flatMap(([found, share]) => found.map((stem) => [stem, share] as const)));
  const groups = new Map<number, number>();
  for (const [stem, share] of stems) {
    for (const group of words.groups(stem)) groups.set(group, Math.max(share, groups.get(group) ?? 0));
  }
  return { own: new Set(own), stems, groups };
}

function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const last = sentences.length - 1;
    if (last >= 0 && ABBREVIATION.test(sentences[last])) sentences[last] += ` ${segment.trim()}`;
    else if (segment.trim() !== "") sentences.push(segment.trim());
  }
  return sentences;
}
