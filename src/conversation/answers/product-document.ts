// What an avatar knows of this product where no language model answers: `product.txt`.
import { readFileSync } from "node:fs";

/** An entry of the document. */
export interface ProductEntry {
  /** Ways to ask for it. */
  questions: readonly string[];
  /** One to three sentences, as they are spoken. */
  answer: string;
}

let entries: readonly ProductEntry[] | undefined;

/** The entries, which are read once. Throws the file system's error. */
export function readProductDocument(): readonly ProductEntry[] {
  entries ??= parseProductDocument(readFileSync(new URL("./product.txt", import.meta.url), "utf8"));
  return entries;
}

/** Entries are separated by empty lines; what has no question is a comment. */
function parseProductDocument(text: string): ProductEntry[] {
  return text.split(/\n\s*\n/).flatMap((block) => {
    const lines = block.split("\n").map((line) => line.trim());
    const questions = lines
      .filter((line) => line.startsWith("?"))
      .flatMap((line) => line.slice(1).match(/[^?.]+/g) ?? []);
    const answer = lines.filter((line) => !line.startsWith("?")).join(" ");
    return questions.length > 0 ? [{ questions, answer: answer.trim() }] : [];
  });
}
