// Detects polyglot files: an image to one program, and a page, a script or an archive to another.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { FILE_KINDS, type FileKindName } from "../kernel/storage/file-kind.ts";
import { EventHandlerFinder } from "./event-handler-finder.ts";

/** Elements that browsers and servers act on. Prose and metadata contain none of them. */
const ACTIVE_MARKUP =
  /<(?:!doctype\s+html|html|head|body|script|svg|iframe|object|embed|meta|base|form|link|style|math|\?php|\?xml-stylesheet|%@)[\s>/]/i;
const SCRIPT_START = /^(?:\ufeff|\u00ef\u00bb\u00bf)?\s*#!/;
/** URL schemes that run scripts if the text is treated as a page. */
const SCRIPT_SCHEME = /(?:^|["'\s=(])(?:javascript|vbscript):/i;
/** Browsers inspect only this many bytes when they guess a type. Source: WHATWG MIME Sniffing, resource header. */
const SNIFFED_BYTES = 1_445;
const EDGE_BYTES = 4_096;
/** A PDF reader accepts its signature anywhere within this range. */
const PDF_MARK_WITHIN_BYTES = 1_024;
const ZIP_END = Buffer.from("PK\x05\x06", "latin1");
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_MAX_BYTES = 65_535;
/** Longer than any pattern, so that nothing is missed between two chunks. */
const OVERLAP_CHARACTERS = 256;

/** The other type of a polyglot file, in words for its sender; null if the file is only what it claims to be. Reads in
 *  chunks. */
export async function findHiddenContent(path: string, kind: FileKindName): Promise<string | null> {
  const { category } = FILE_KINDS[kind];
  const isText = kind === "txt" || kind === "csv";
  const { head, tail, sizeBytes } = await readEdges(path);
  const headText = textOf(head, isText);
  if (isText && SCRIPT_START.test(headText)) return "a script";
  if (kind !== "pdf" && head.subarray(0, PDF_MARK_WITHIN_BYTES).includes("%PDF-")) return "a PDF";
  const isZip = category === "docs" && /x$/.test(kind);
  if (!isZip && endsAsZip(tail, sizeBytes)) return "a ZIP archive";
  // Compressed media contain no markup by chance, and videos and documents run it only from their first or last bytes.
  const markup = category === "images" || isText ? await scan(path, isText) : scanEdges(head, tail);
  if (markup !== null) return markup;
  return isCommentedScript(head) && (await contains(path, /\*\/\s*[=;(]/)) ? "a script" : null;
}

/** True for an image that begins with an open comment: a script engine would skip everything up to the comment's end.
 *  */
function isCommentedScript(head: Buffer): boolean {
  return head.subarray(0, 16).includes("/*");
}

function scanEdges(head: Buffer, tail: Buffer): string | null {
  const edges = `${head.subarray(0, SNIFFED_BYTES).toString("latin1")} ${tail.subarray(-EDGE_BYTES).toString("latin1")}`;
  return ACTIVE_MARKUP.test(edges) ? "a page with markup" : null;
}

async function scan(path: string, isText: boolean): Promise<string | null> {
  if (await contains(path, ACTIVE_MARKUP, isText)) return "a page with markup";
  const runs = isText && ((await contains(path, SCRIPT_SCHEME, isText)) || (await hasEventHandler(path)));
  return runs ? "a page with a script" : null;
}

async function hasEventHandler(path: string): Promise<boolean> {
  const finder = new EventHandlerFinder();
  for await (const chunk of createReadStream(path)) {
    if (finder.push(chunk as Buffer)) return true;
  }
  return false;
}

async function contains(path: string, pattern: RegExp, isText = false): Promise<boolean> {
  let kept = "";
  for await (const chunk of createReadStream(path)) {
    const text = kept + textOf(chunk as Buffer, isText);
    if (pattern.test(text)) return true;
    kept = text.slice(-OVERLAP_CHARACTERS);
  }
  return false;
}

/** Bytes as characters. NULs are dropped from text, so that markup in UTF-16 is found too. */
function textOf(bytes: Buffer, isText: boolean): string {
  const text = bytes.toString("latin1");
  return isText ? text.replaceAll("\0", "") : text;
}

/** True if a ZIP reader would find an archive at the end: its last record, with a comment up to the end. */
function endsAsZip(tail: Buffer, sizeBytes: number): boolean {
  if (sizeBytes < ZIP_END_BYTES) return false;
  for (let at = tail.lastIndexOf(ZIP_END); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(ZIP_END, at - 1)) {
    if (at + ZIP_END_BYTES > tail.length) continue;
    if (at + ZIP_END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return true;
  }
  return false;
}

async function readEdges(path: string): Promise<{ head: Buffer; tail: Buffer; sizeBytes: number }> {
  const file = await open(path, "r");
  try {
    const { size: sizeBytes } = await file.stat();
    const head = await file.read(Buffer.alloc(EDGE_BYTES), 0, EDGE_BYTES, 0);
    const tailBytes = Math.min(sizeBytes, ZIP_END_BYTES + ZIP_COMMENT_MAX_BYTES);
    const tail = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, sizeBytes - tailBytes);
    return { head: head.buffer.subarray(0, head.bytesRead), tail: tail.buffer.subarray(0, tail.bytesRead), sizeBytes };
  } finally {
    await file.close();
  }
}
