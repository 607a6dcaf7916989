// Extracts the text of a document. Runs in the text process only, because documents may be hostile.
import { readFile } from "node:fs/promises";
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import type { SourceExtension } from "../knowledge-base.ts";
import { cutAtDepth } from "./cut-at-depth.ts";
import { assertUnpacksWithin } from "./unpacked-size.ts";

/** Longest text of one document, in characters, about a thousand pages of a book; the rest is omitted. */
const MAX_CHARACTERS = 3_000_000;
/** Limit of the characters read from a text file; it allows for white space and markup. More would exceed the memory of
 *  the text process. */
const MAX_RAW_CHARACTERS = 4 * MAX_CHARACTERS;
const MAX_HTML_CHARACTERS = 8 * MAX_CHARACTERS;
const MAX_PAGES = 3_000;
/** Deeper elements are omitted. */
const MAX_HTML_DEPTH = 200;
/** The page is cut at the first element that is deeper. */
const MAX_PARSED_DEPTH = 1_000;
/** Unpacked size limit of a docx. A file of the maximum size (100 MB) consists mostly of images, which do not grow when
 *  unpacked; the text of a long novel has 10 MB. */
const MAX_UNPACKED_BYTES = 300_000_000;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** The text of a document: paragraphs with empty lines between them, headings as in Markdown. Throws EngineError
 *  for a document that cannot be read or holds no text. */
export async function extractText(path: string, extension: SourceExtension): Promise<string> {
  const bytes = await readFile(path);
  const text = tidy(await readDocument(bytes, extension)).slice(0, MAX_CHARACTERS);
  if (text !== "") return text;
  const why =
    extension === "pdf" ? "The PDF contains no text: its pages may be images" : "The document contains no text";
  throw new EngineError("invalid-input", why);
}

async function readDocument(bytes: Buffer, extension: SourceExtension): Promise<string> {
  try {
    switch (extension) {
      case "pdf":
        return await readPdf(bytes);
      case "docx":
        return await readDocx(bytes);
      case "html":
        return await readHtml(decodeText(bytes));
      case "csv":
        return await readCsv(wholeLines(decodeText(bytes)));
      default:
        return decodeText(bytes).slice(0, MAX_RAW_CHARACTERS);
    }
  } catch (cause) {
    if (isEngineError(cause)) throw cause;
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    const why = isLocked ? "is protected by a password" : "cannot be read: it may be damaged";
    throw new EngineError("invalid-input", `The ${extension} document ${why}`, { cause });
  }
}

// Each reader is loaded with its first document, because most bases contain one or two kinds.

async function readDocx(bytes: Buffer): Promise<string> {
  assertUnpacksWithin(bytes, MAX_UNPACKED_BYTES);
  const { default: mammoth } = await import("mammoth");
  // Images would be inlined as base64 and use up the character limit.
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
  return readHtml((await mammoth.convertToHtml({ buffer: bytes }, { convertImage })).value);
}

/** A run of text, or a structural mark without text. */
interface TextItem {
  str?: string;
  hasEOL?: boolean;
}

async function readPdf(bytes: Buffer): Promise<string> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false });
  const pages: string[] = [];
  let characterCount = 0;
  for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES); number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = (items as TextItem[]).map(({ str = "", hasEOL }) => (hasEOL ? `${str}\n` : str)).join("");
    pages.push(text);
    page.cleanup();
    characterCount += text.length;
    if (characterCount > MAX_CHARACTERS) break;
  }
  return pages.join("\n\n");
}

async function readHtml(html: string): Promise<string> {
  const { convert } = await import("html-to-text");
  return convert(cutAtDepth(html.slice(0, MAX_HTML_CHARACTERS), MAX_PARSED_DEPTH), {
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML_CHARACTERS, maxDepth: MAX_HTML_DEPTH, ellipsis: "" },
    formatters: {
      markdownHeading(element, walk, builder) {
        builder.openBlock({ leadingLineBreaks: 2 });
        builder.addInline(`${"#".repeat(Number(element.name?.slice(1)))} `);
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 2 });
      },
    },
    selectors: [
      ...HEADINGS.map((selector) => ({ selector, format: "markdownHeading" })),
      { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
      { selector: "a", options: { ignoreHref: true } },
      ...["img", "nav", "script", "style", "noscript", "title"].map((selector) => ({ selector, format: "skip" })),
    ],
  });
}

/** The beginning of a long text, up to the end of a line. */
function wholeLines(text: string): string {
  if (text.length <= MAX_RAW_CHARACTERS) return text;
  return text.slice(0, text.lastIndexOf("\n", MAX_RAW_CHARACTERS) + 1);
}

/** Each row as a self-contained line: `column: value; …`. */
async function readCsv(text: string): Promise<string> {
  const { parse } = await import("csv-parse/sync");
  const rows: string[][] = parse(text, {
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    delimiter: [",", ";", "\t"],
    max_record_size: 1_000_000,
  });
  const [header = [], ...records] = rows;
  if (records.length === 0) return header.join("; ");
  return records
    .map((cells) =>
      cells
        .map((cell, index) => (cell === "" ? "" : header[index] ? `${header[index]}: ${cell}` : cell))
        .filter((cell) => cell !== "")
        .join("; "),
    )
    .join("\n");
}

/** Decodes text of an unknown encoding: by its byte order mark, else as UTF-8, else as Windows-1252. */
function decodeText(bytes: Buffer): string {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return new TextDecoder("utf-16le").decode(bytes);
  if (mark === 0xfeff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function tidy(text: string): string {
  // Unpaired surrogates become replacement characters in UTF-8.
  return (
    Buffer.from(text)
      .toString()
      .replaceAll("\r\n", "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL stores no NUL, and the others are not text
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, " ")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}
