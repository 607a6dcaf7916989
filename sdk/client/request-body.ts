// Bodies of requests: JSON, or a form where a field holds a file.
import type { FileSource, Operation } from "./call-types.ts";
import { AvatarError } from "./errors.ts";

/** More than any service takes, so that an endless stream ends in an error and not in a full memory. */
const MAX_FILE_BYTES = 256e6;
/** Bytes that are made into letters at a time. */
const CHUNK_BYTES = 0x8000;
const TOO_LARGE = `The file has more than ${MAX_FILE_BYTES / 1e6} MB.`;

export interface RequestBody {
  body: string | FormData;
  contentType?: string;
}

/** Reads the files of a body, and encodes it as the operation takes it. The result can be sent again. */
export async function encodeBody(
  { body: kind }: Operation,
  fields: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<RequestBody> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const hasFile = given.some(([, value]) => isFileSource(value));
  if (kind !== "form" && !hasFile) return json(fields);
  if (kind === "json") return json(Object.fromEntries(await readFiles(given, toBase64, signal)));
  const form = new FormData();
  for (const [name, value] of await readFiles(given, async (file) => file, signal)) {
    if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : "file");
    else if (value !== null) form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return { body: form };
}

function json(fields: object): RequestBody {
  return { body: JSON.stringify(fields), contentType: "application/json" };
}

function readFiles(
  fields: [string, unknown][],
  encode: (file: Blob) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<[string, unknown][]> {
  return Promise.all(
    fields.map(
      async ([name, value]): Promise<[string, unknown]> => [
        name,
        isFileSource(value) ? await encode(await readFile(value, signal)) : value,
      ],
    ),
  );
}

function isFileSource(value: unknown): value is FileSource {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return (
    value instanceof Blob ||
    value instanceof Uint8Array ||
    Symbol.asyncIterator in value ||
    value instanceof ReadableStream ||
    ("path" in value && typeof value.path === "string") ||
    ("data" in value && "name" in value)
  );
}

/** A file in memory, or on disk where the platform can hold it there. */
async function readFile(source: FileSource, signal?: AbortSignal): Promise<Blob> {
  if (source instanceof Blob) return source;
  if ("path" in source) return openFile(source);
  if ("data" in source) return new File([await readFile(source.data, signal)], source.name);
  if (source instanceof Uint8Array) return new Blob([source as BlobPart]);
  const chunks: BlobPart[] = [];
  let sizeBytes = 0;
  for await (const chunk of Symbol.asyncIterator in source ? source : chunksOf(source)) {
    signal?.throwIfAborted();
    chunks.push(chunk as BlobPart);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_FILE_BYTES) throw new RangeError(TOO_LARGE);
  }
  return new Blob(chunks);
}

/** For browsers in which streams are not iterable. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Node's own module, named at run time: bundlers for browsers have none. */
async function openFile({ path, name }: { path: string; name?: string }): Promise<Blob> {
  const platform = globalThis as { process?: { getBuiltinModule?(id: string): unknown } };
  const files = platform.process?.getBuiltinModule?.("node:fs") as typeof import("node:fs") | undefined;
  if (!files) throw new TypeError("A file is read by its path only in Node; pass a Blob or a stream.");
  try {
    return new File([await files.openAsBlob(path)], name ?? path.split(/[\\/]/).pop() ?? "file");
  } catch (cause) {
    throw new AvatarError(`The file ${path} cannot be read.`, { cause });
  }
}

async function toBase64(file: Blob): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new RangeError(TOO_LARGE);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    letters += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(letters);
}
