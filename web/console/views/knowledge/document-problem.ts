// What makes a chosen file no document, before it is sent.

/** Kinds of documents, by the ends of their names. */
export const DOCUMENT_ENDINGS = [".pdf", ".docx", ".txt", ".md", ".markdown", ".html", ".htm", ".csv"] as const;
/** Source: the service's limit. */
const MAX_BYTES = 100_000_000;

export type DocumentProblem = "emptyFile" | "tooLarge" | "wrongKind";

/** Null for a file that may be sent: the service looks at its content. */
export function documentProblem({ name, size }: Pick<File, "name" | "size">): DocumentProblem | null {
  const lower = name.toLowerCase();
  if (!DOCUMENT_ENDINGS.some((ending) => lower.endsWith(ending))) return "wrongKind";
  if (size === 0) return "emptyFile";
  return size > MAX_BYTES ? "tooLarge" : null;
}

export function isDocumentProblem(value: unknown): value is DocumentProblem {
  return value === "emptyFile" || value === "tooLarge" || value === "wrongKind";
}
