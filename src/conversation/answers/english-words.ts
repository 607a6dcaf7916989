// What is known of English words where documents are searched without a language model: which ones say nothing, which
// ones say little, and which ones mean the same. The lists are in `english-words.txt`.
import { readFileSync } from "node:fs";
import { plainWords } from "./plain-words.ts";

/** Share of empty words in an English sentence; the shortest questions have about half. */
const LEAST_EMPTY_SHARE = 0.35;
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

interface WordLists {
  empty: ReadonlySet<string>;
  /** Stems. */
  weak: ReadonlySet<string>;
  /** Numbers of the groups that each stem belongs to. */
  groups: ReadonlyMap<string, readonly number[]>;
}

let lists: WordLists | undefined;

/** A word by its stem: forms of a word have the same one. */
export function englishStem(word: string): string {
  const number = NUMBERS.indexOf(word);
  if (number >= 0) return String(number);
  let stem = word;
  if (stem.length > 4 && stem.endsWith("ies")) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:s|x|z|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.length > 3 && /[^sui]s$/.test(stem)) stem = stem.slice(0, -1);
  const suffix = /^(.*[aeiouy].*?)(?:ing|ed|ly)$/.exec(stem);
  if (stem.length > 5 && suffix && !stem.endsWith("eed")) stem = suffix[1].replace(/([bdgklmnprt])\1$/, "$1");
  return stem.length > 3 ? stem.replace(/e$/, "").replace(/y$/, "i") : stem;
}

/** Whether a text is English, by its share of words that say nothing. */
export function isEnglishText(text: string): boolean {
  const words = plainWords(text).split(" ");
  return words.filter(isEmptyEnglishWord).length >= words.length * LEAST_EMPTY_SHARE;
}

/** Whether a word says nothing about what a question is for. */
export function isEmptyEnglishWord(word: string): boolean {
  return readLists().empty.has(word);
}

/** Whether a word stands in many questions, and counts little. Numbers do, too. */
export function isWeakEnglishStem(stem: string): boolean {
  return readLists().weak.has(stem) || /^\d+$/.test(stem);
}

/** Numbers of the groups of words that mean the same as this one. */
export function englishGroups(stem: string): readonly number[] {
  return readLists().groups.get(stem) ?? [];
}

/** Read once. Throws the file system's error. */
function readLists(): WordLists {
  if (lists) return lists;
  const text = readFileSync(new URL("./english-words.txt", import.meta.url), "utf8");
  const [, empty, weak, alike] = text.split(/^= .*$/m);
  const groups = new Map<string, number[]>();
  for (const [number, line] of alike.trim().split("\n").entries()) {
    for (const stem of new Set(wordsOf(line).map(englishStem))) groups.set(stem, [...(groups.get(stem) ?? []), number]);
  }
  lists = { empty: new Set(wordsOf(empty)), weak: new Set(wordsOf(weak).map(englishStem)), groups };
  return lists;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
