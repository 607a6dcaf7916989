// Reads a JSON body; its files, base64 strings, go to disk as they arrive: an upload of 100 MB needs a few
// kilobytes of memory. The rest of the body is small and is parsed by JSON.parse.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { ServiceError } from "../../shared/errors.ts";
import { type Base64Writer, createBase64Writer } from "./base64-writer.ts";
import { decodeUtf8, parseJson, tooLarge } from "./body-text.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { JsonStrings } from "./json-strings.ts";
import { UploadedFile } from "./uploaded-file.ts";

/** A string longer than this goes to disk. */
const LONG_STRING_BYTES = 16_384;
/** Limit of all other content together. */
const MAX_REST_BYTES = 1024 * 1024;
/** Limit of long strings in one body; no route accepts more files. */
const MAX_LONG_STRINGS = 4;

export interface StreamedJsonOptions {
  /** Limit of the body. */
  limitBytes: number;
  /** Top-level fields that hold base64 or a base64 data URI; each becomes an `UploadedFile`. No other string may be
   *  long. */
  fileFields: readonly string[];
  /** Top-level fields that hold base64 or a short text: only a long string becomes an `UploadedFile`. Default: none. */
  fileOrTextFields?: readonly string[];
  /** Folder for the files. The caller removes it, also after an error. */
  folder: string;
}

/** The parsed body. Throws VALIDATION_ERROR (malformed JSON, UTF-8 or base64, a long string elsewhere) and
 *  FILE_TOO_LARGE. */
export async function readStreamedJson(request: IncomingMessage, options: StreamedJsonOptions): Promise<unknown> {
  // Stands for a string that went to disk. It is random, so that callers cannot write it themselves.
  const marker = `file-${randomUUID()}-`;
  const { rest, files } = await takeFilesOut(request, options, marker);
  const { fileFields, fileOrTextFields = [] } = options;
  const value = parseJson(decodeUtf8(rest));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const body: Record<string, unknown> = { ...value };
  for (const field of fileFields) {
    const text = body[field];
    if (typeof text !== "string") continue;
    body[field] = text.startsWith(marker)
      ? files[Number(text.slice(marker.length))]
      : await writeWhole(text, options.folder);
  }
  for (const field of fileOrTextFields) {
    const text = body[field];
    if (typeof text === "string" && text.startsWith(marker)) body[field] = files[Number(text.slice(marker.length))];
  }
  if (JSON.stringify(body).includes(marker)) {
    const names = [...fileFields, ...fileOrTextFields].join(", ");
    throw new ServiceError(
      "VALIDATION_ERROR",
      `Only the fields ${names} may be longer than ${LONG_STRING_BYTES} bytes`,
    );
  }
  return body;
}

/** Writes long strings to files and returns the text with `<marker><index>` in their place. */
async function takeFilesOut(
  request: IncomingMessage,
  { limitBytes, folder }: StreamedJsonOptions,
  marker: string,
): Promise<{ rest: Buffer; files: UploadedFile[] }> {
  const strings = new JsonStrings(LONG_STRING_BYTES);
  const rest = new GrowingBytes();
  const files: UploadedFile[] = [];
  let receivedBytes = 0;
  let writer: Base64Writer | null = null;

  function keep(bytes: Buffer): void {
    rest.append(bytes);
    if (rest.length > MAX_REST_BYTES) throw tooLarge(MAX_REST_BYTES);
  }

  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      receivedBytes += (chunk as Buffer).length;
      if (receivedBytes > limitBytes) throw tooLarge(limitBytes);
      for (const piece of strings.push(chunk as Buffer)) {
        if (piece.kind === "text") keep(piece.bytes);
        else if (piece.kind === "piece") await writer?.write(piece.text);
        else if (piece.kind === "begin") {
          if (files.length === MAX_LONG_STRINGS) throw tooLarge(MAX_REST_BYTES);
          const path = join(folder, randomUUID());
          writer = await createBase64Writer(path);
          keep(Buffer.from(`${marker}${files.length}`));
          files.push(new UploadedFile({ path, fileName: "", mimeType: "" }));
        } else {
          files[files.length - 1].sizeBytes = (await writer?.close()) ?? 0;
          writer = null;
        }
      }
    }
  } catch (error) {
    await writer?.abort();
    throw error;
  }
  if (writer) await (writer as Base64Writer).abort();
  return { rest: rest.view, files };
}

async function writeWhole(text: string, folder: string): Promise<UploadedFile> {
  const path = join(folder, randomUUID());
  const writer = await createBase64Writer(path);
  try {
    await writer.write(text);
    const file = new UploadedFile({ path, fileName: "", mimeType: "" });
    file.sizeBytes = await writer.close();
    return file;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
