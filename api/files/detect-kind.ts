// Detects the type of a file from its content.
import { type FileHandle, open } from "node:fs/promises";
import { FileTypeParser } from "file-type";
import type { FileKindName } from "../kernel/storage/file-kind.ts";

/** Our kind for each type that the detector reports. Other types are not supported by the contract. */
const DETECTED: Readonly<Record<string, FileKindName>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/apng": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/bmp": "bmp",
  "video/mp4": "mp4",
  "video/x-m4v": "mp4",
  "video/vnd.avi": "avi",
  "video/quicktime": "mov",
  "video/x-ms-asf": "wmv",
  "video/x-flv": "flv",
  "video/webm": "webm",
  "video/matroska": "mkv",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/flac": "flac",
  "audio/aac": "aac",
  "audio/ogg": "ogg",
  "audio/x-m4a": "m4a",
  "audio/mp4": "m4a",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};
const XML = "application/xml";
const COMPOUND_FILE = "application/x-cfb";
/** The detector opens archives to look inside. This limit ends detection of a file that is made to keep it busy. */
const DETECT_TIMEOUT_MS = 5_000;
/** A compound file's directory may be anywhere in it. The names of its streams are searched in the first and the last
 *  bytes, up to this many each. */
const COMPOUND_SCAN_BYTES = 8 * 1024 * 1024;
const TEXT_SAMPLE_BYTES = 65_536;
/** Largest `moov` box that is searched for a video track. */
const MOOV_MAX_BYTES = 16 * 1024 * 1024;

/** The kind of a file; `text` for plain text: its extension then distinguishes txt from csv; `markup` for XML with a
 *  declaration; null for anything else. */
export async function detectKind(path: string): Promise<FileKindName | "text" | "markup" | null> {
  const found = await new FileTypeParser({ signal: AbortSignal.timeout(DETECT_TIMEOUT_MS) }).fromFile(path);
  const file = await open(path, "r");
  try {
    const mimeType = found?.mime.split(";")[0];
    if (mimeType === undefined) return (await isText(file)) ? "text" : null;
    if (mimeType === XML) return "markup";
    if (mimeType === COMPOUND_FILE) return await officeKind(file);
    const kind = DETECTED[mimeType] ?? null;
    // Recorders write audio into a container that is only marked as "MPEG-4".
    if (kind === "mp4" && !(await hasVideoTrack(file))) return "m4a";
    return kind;
  } finally {
    await file.close();
  }
}

/** The office program of a compound file: each has a main stream with its own name in UTF-16. */
async function officeKind(file: FileHandle): Promise<FileKindName | null> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, Math.min(size, COMPOUND_SCAN_BYTES));
  const tailStart = Math.max(head.length, size - COMPOUND_SCAN_BYTES);
  const bytes = Buffer.concat([head, await readAt(file, tailStart, size - tailStart)]);
  const hasStream = (name: string) => bytes.includes(Buffer.from(`${name}\0`, "utf16le"));
  if (hasStream("WordDocument")) return "doc";
  if (hasStream("PowerPoint Document")) return "ppt";
  return hasStream("Workbook") || hasStream("Book") ? "xls" : null;
}

/** True if the file's beginning is text: UTF-8, UTF-16 with a byte order mark, or an older one-byte encoding, without
 *  control characters. */
async function isText(file: FileHandle): Promise<boolean> {
  const bytes = await readAt(file, 0, TEXT_SAMPLE_BYTES);
  if (bytes.length === 0) return false;
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  const text = mark === 0xfffe || mark === 0xfeff ? decodeUtf16(bytes, mark === 0xfeff) : bytes.toString("latin1");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells binary data
  return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/.test(text);
}

function decodeUtf16(bytes: Buffer, isBigEndian: boolean): string {
  return new TextDecoder(isBigEndian ? "utf-16be" : "utf-16le").decode(bytes);
}

/** False only if an MPEG-4 file lists its tracks and none of them is video. */
async function hasVideoTrack(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  let at = 0;
  // A file has only a few boxes at its top level; a file with more is not a video.
  for (let count = 0; count < 64 && at + 16 <= size; count++) {
    const header = await readAt(file, at, 16);
    const small = header.readUInt32BE(0);
    const boxBytes = small === 1 ? Number(header.readBigUInt64BE(8)) : small === 0 ? size - at : small;
    if (boxBytes < 8) return true;
    if (header.toString("latin1", 4, 8) === "moov") {
      const box = await readAt(file, at, Math.min(boxBytes, MOOV_MAX_BYTES, size - at));
      return boxBytes > MOOV_MAX_BYTES || /hdlr.{8}vide/s.test(box.toString("latin1"));
    }
    at += boxBytes;
  }
  return true;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
