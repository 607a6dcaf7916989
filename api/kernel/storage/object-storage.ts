// Storage of portraits, `.imx` files, uploads and clips: one interface for a disk and a bucket.

export interface StoredObject {
  /** As given to `put`; usable in a URL path without escaping. */
  key: string;
  sizeBytes: number;
  /** Hex SHA-256 of the content. */
  sha256: string;
}

/** An object in a listing. */
export type ListedObject = Pick<StoredObject, "key" | "sizeBytes">;

/** A half-open byte range [start, end). */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectStorage {
  /** Stores content under a key and returns once it is durable. Replaces an object of that key atomically. Throws
   *  RangeError for a malformed key. */
  put(key: string, content: Uint8Array): Promise<StoredObject>;
  /** As `put`, from a file, which is not removed. */
  putFile(key: string, path: string): Promise<StoredObject>;
  /** Size in bytes, or null when there is no such object. */
  sizeOf(key: string): Promise<number | null>;
  /** Streams content, or part of it. Throws ServiceError NOT_FOUND when there is no such object. */
  read(key: string, range?: ByteRange): Promise<NodeJS.ReadableStream>;
  /** The whole content. For portraits and `.imx` files, which are a few MB. Throws as `read`. */
  readAll(key: string): Promise<Uint8Array>;
  /** A URL from which anyone can read the object for an hour, with the given headers; null if bytes must pass through
   *  the api. Absent if the storage has no signed URLs. */
  signedUrl?(key: string, as: { contentType: string; contentDisposition: string }): Promise<string | null>;
  /** Deletes an object. Does nothing if there is no such object. */
  delete(key: string): Promise<void>;
  /** All objects, in no order. One that is stored or deleted meanwhile may be missing or listed. */
  list(): AsyncIterable<ListedObject>;
}

const KEY_PATTERN = /^[a-z0-9][a-z0-9-]{0,40}\/[A-Za-z0-9][A-Za-z0-9._-]{0,160}$/;

/** True for `<kind>/<name>.<extension>` keys: no leading dots, no path traversal, no characters that a URL would
 *  escape. */
export function isObjectKey(key: string): boolean {
  return KEY_PATTERN.test(key) && !key.includes("..");
}
