// Reads request bodies, bounded in bytes: JSON, urlencoded forms, and multipart forms, with files that go to disk as
// they arrive.
import { randomUUID } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import busboy from "busboy";
import { ServiceError } from "../../shared/errors.ts";
import { closeFile } from "../files/close-file.ts";
import { assertFreeSpace } from "../files/free-space.ts";
import { decodeUtf8, parseJson, tooLarge } from "./body-text.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { readStreamedJson } from "./streamed-json.ts";
import { UploadedFile } from "./uploaded-file.ts";

/** Formats of a body. `text`: whatever is announced, for a handler that reads it itself. */
export type BodyType = "json" | "form" | "multipart" | "text";

/** Most bytes of a body, unless its route says otherwise. */
export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const MULTIPART_MAX_FIELDS = 50;
const MULTIPART_MAX_FILES = 4;

const CONTENT_TYPES: Readonly<Record<string, BodyType>> = {
  "application/json": "json",
  "application/x-www-form-urlencoded": "form",
  "multipart/form-data": "multipart",
};

export interface BodyOptions {
  types: readonly BodyType[];
  /** Whether JSON must come as `application/json`, which no other site's page can send without being asked first. For
   *  routes that a cookie opens. Default false: clients send JSON under many types. */
  requiresJsonType?: boolean;
  limitBytes: number;
  /** Most bytes of the texts of a multipart form together, which are held in memory. Default: `limitBytes`. */
  textLimitBytes?: number;
  /** Fields of a JSON body with base64 that goes to disk as it arrives. Default: none. */
  fileFields?: readonly string[];
  /** Fields of a JSON body that hold base64, which goes to disk, or a short text, which stays. Default: none. */
  fileOrTextFields?: readonly string[];
  /** Free disk space that bodies with files must leave, in bytes. Default: no limit. */
  minFreeBytes?: number;
}

export interface ParsedBody {
  /** The body, not validated yet; `{}` for an empty body. */
  value: unknown;
  /** Removes the body's files. Idempotent. */
  discard(): Promise<void>;
}

const nothingToDiscard = async (): Promise<void> => {};

/** Reads and decodes a body. Throws VALIDATION_ERROR (malformed), FILE_TOO_LARGE, UNSUPPORTED_TYPE if the body is
 *  compressed, or not empty and of no content type that the route takes, and SERVICE_UNAVAILABLE if it has files and
 *  the disk is almost full. */
export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<ParsedBody> {
  const declaredBytes = Number(request.headers["content-length"] ?? Number.NaN);
  const isEmpty = declaredBytes === 0 || (Number.isNaN(declaredBytes) && !request.headers["transfer-encoding"]);
  if (isEmpty) return { value: {}, discard: nothingToDiscard };
  if (request.headers["content-encoding"] !== undefined && request.headers["content-encoding"] !== "identity") {
    throw new ServiceError("UNSUPPORTED_TYPE", "Compressed request bodies are not accepted");
  }
  const type = formatOf(request, options);
  if (type === null) {
    // A chunked request may be empty, and only then is its missing type allowed.
    if (Number.isNaN(declaredBytes) && (await readBytes(request, options.limitBytes)).length === 0) {
      return { value: {}, discard: nothingToDiscard };
    }
    throw new ServiceError("UNSUPPORTED_TYPE", `The body must be ${namesOf(options.types)}`);
  }
  const { fileFields = [], fileOrTextFields = [], limitBytes, textLimitBytes = limitBytes } = options;
  const holdsFiles = type === "multipart" || (type === "json" && fileFields.length + fileOrTextFields.length > 0);
  if (holdsFiles) await assertFreeSpace(tmpdir(), options.minFreeBytes ?? 0, declaredBytes || 0);
  if (type === "multipart") {
    return withFolder(request, (folder) => collectMultipart(request, { limitBytes, textLimitBytes, folder }));
  }
  if (declaredBytes > limitBytes) throw tooLarge(limitBytes);
  if (type === "json" && fileFields.length + fileOrTextFields.length > 0) {
    return withFolder(request, (folder) =>
      readStreamedJson(request, { limitBytes, fileFields, fileOrTextFields, folder }),
    );
  }
  const text = decodeUtf8(await readBytes(request, limitBytes));
  if (type === "text") return { value: text, discard: nothingToDiscard };
  // `curl -d` announces a form, whatever it sends.
  const isJson = type === "json" || (takesAnyJson(options) && /^\s*\{/.test(text));
  const value = isJson ? parseJson(text) : Object.fromEntries(new URLSearchParams(text));
  return { value, discard: nothingToDiscard };
}

/** How a body is read: as the form that the request announces, if the route takes it; else as JSON, whatever the
 *  request announces. Null if neither is allowed. */
function formatOf(request: IncomingMessage, options: BodyOptions): BodyType | null {
  if (options.types.includes("text")) return "text";
  const announced = bodyTypeOf(request);
  if (announced !== null && options.types.includes(announced)) return announced;
  return takesAnyJson(options) ? "json" : null;
}

function takesAnyJson({ types, requiresJsonType = false }: BodyOptions): boolean {
  return types.includes("json") && !requiresJsonType;
}

/** The type of body that a request announces; null if it is unknown. */
export function bodyTypeOf(request: IncomingMessage): BodyType | null {
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  return CONTENT_TYPES[mediaType] ?? null;
}

async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const received = new GrowingBytes();
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    received.append(chunk as Buffer);
    if (received.length > limitBytes) throw tooLarge(limitBytes);
  }
  return received.view;
}

/** Reads a body into a folder of its own, which `discard` removes. */
async function withFolder(request: IncomingMessage, read: (folder: string) => Promise<unknown>): Promise<ParsedBody> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-upload-"));
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    return { value: await read(folder), discard };
  } catch (error) {
    await discard();
    request.unpipe();
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("VALIDATION_ERROR", "The body is malformed or incomplete", { cause: error });
  }
}

/** Fields become strings, files `UploadedFile`s. */
async function collectMultipart(
  request: IncomingMessage,
  { limitBytes, textLimitBytes, folder }: { limitBytes: number; textLimitBytes: number; folder: string },
): Promise<object> {
  const parser = busboy({
    headers: request.headers,
    limits: {
      fieldSize: textLimitBytes,
      fileSize: limitBytes,
      fields: MULTIPART_MAX_FIELDS,
      files: MULTIPART_MAX_FILES,
    },
  });
  const value: Record<string, unknown> = Object.create(null);
  const files: WriteStream[] = [];
  const writes: Promise<void>[] = [];
  let receivedBytes = 0;
  let textBytes = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const count = (bytes: number): void => {
        receivedBytes += bytes;
        if (receivedBytes > limitBytes) reject(tooLarge(limitBytes));
      };
      parser.on("field", (name, text, info) => {
        textBytes += Buffer.byteLength(text);
        if (info.valueTruncated || textBytes > textLimitBytes) reject(tooLarge(textLimitBytes));
        count(Buffer.byteLength(text));
        value[name] = text;
      });
      parser.on("file", (name, stream, info) => {
        const path = join(folder, randomUUID());
        const file = new UploadedFile({ path, fileName: info.filename ?? "", mimeType: info.mimeType });
        value[name] = file;
        stream.on("limit", () => reject(tooLarge(limitBytes)));
        stream.on("data", (chunk: Buffer) => {
          file.sizeBytes += chunk.length;
          count(chunk.length);
        });
        const target = createWriteStream(path);
        files.push(target);
        const write = pipeline(stream, target);
        write.catch(reject);
        writes.push(write);
      });
      parser.on("fieldsLimit", () =>
        reject(new ServiceError("VALIDATION_ERROR", `The form has more than ${MULTIPART_MAX_FIELDS} fields`)),
      );
      parser.on("filesLimit", () =>
        reject(new ServiceError("VALIDATION_ERROR", `The form has more than ${MULTIPART_MAX_FILES} files`)),
      );
      parser.on("error", reject);
      parser.on("close", resolve);
      request.on("aborted", () => reject(new Error("the client went away")));
      request.pipe(parser);
    });
    await Promise.all(writes);
  } finally {
    // After an error, ends the file that is being received and its writing to disk.
    parser.destroy();
    await Promise.all(files.map(closeFile));
  }
  return { ...value };
}

function namesOf(types: readonly BodyType[]): string {
  return Object.entries(CONTENT_TYPES)
    .filter(([, type]) => types.includes(type))
    .map(([name]) => name)
    .join(" or ");
}
