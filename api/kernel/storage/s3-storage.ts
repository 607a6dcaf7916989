// Objects in a bucket of an S3-compatible server. S3 guarantees that each put is atomic and immediately visible.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { closeFile } from "../../../program/files/close-file.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { isObjectKey, type ObjectStorage, type StoredObject } from "./object-storage.ts";

export interface S3Options {
  bucket: string;
  region: string;
  /** Default: the AWS endpoint of the region. */
  endpoint?: string;
  /** Default: the AWS credential chain, for example the role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** `<endpoint>/<bucket>/<key>` instead of `<bucket>.<endpoint>/<key>`. */
  isPathStyle: boolean;
  /** Prefix of every key, for a shared bucket. */
  prefix: string;
  /** Redirect readers to signed URLs of the bucket instead of passing bytes through the api. */
  signsUrls: boolean;
  /** Longest silence of the server within a request, in ms. Default 30,000. */
  idleTimeoutMs?: number;
}

const MAX_ATTEMPTS = 4;
/** Pause after the first failed upload of a file; it doubles each time. */
const RETRY_DELAY_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const SIGNED_URL_SECONDS = 3_600;

export interface S3Storage extends ObjectStorage {
  /** Throws an Error that says what to do, unless the bucket exists and may be used. */
  check(): Promise<void>;
  /** Drops idle connections. */
  close(): void;
}

/** Storage in a bucket. Does not connect before the first call. */
export function createS3Storage(options: S3Options): S3Storage {
  const { bucket: Bucket } = options;
  const client = new S3Client({
    region: options.region,
    endpoint: options.endpoint,
    credentials: options.credentials,
    forcePathStyle: options.isPathStyle,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS },
    // Some other servers do not support the newer checksums. Every put carries a SHA-256 checksum of ours.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  const placeOf = (key: string) => ({ Bucket, Key: options.prefix + key });

  async function put(key: string, body: Uint8Array | Readable, sizeBytes: number, hash: Buffer): Promise<StoredObject> {
    if (!isObjectKey(key)) throw new RangeError(`not an object key: ${key}`);
    await client.send(
      new PutObjectCommand({
        ...placeOf(key),
        Body: body,
        ContentLength: sizeBytes,
        ContentType: "application/octet-stream",
        ChecksumSHA256: hash.toString("base64"),
      }),
    );
    return { key, sizeBytes, sha256: hash.toString("hex") };
  }

  async function open(key: string, range?: { start: number; end: number }) {
    if (!isObjectKey(key)) throw notFound();
    try {
      const Range = range && `bytes=${range.start}-${range.end - 1}`;
      const { Body } = await client.send(new GetObjectCommand({ ...placeOf(key), Range }));
      if (!Body) throw notFound();
      return Body;
    } catch (error) {
      throw isMissing(error) ? notFound() : error;
    }
  }

  return {
    put: (key, content) => put(key, content, content.byteLength, createHash("sha256").update(content).digest()),

    async putFile(key, path) {
      const hash = createHash("sha256");
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      const sizeBytes = (await stat(path)).size;
      const digest = hash.digest();
      // The client repeats no request with a stream as its body: a stream can be read only once.
      return retry(async () => {
        const file = createReadStream(path);
        try {
          return await put(key, file, sizeBytes, digest);
        } finally {
          // If the connection breaks, the client leaves it open.
          await closeFile(file);
        }
      });
    },

    async sizeOf(key) {
      if (!isObjectKey(key)) return null;
      try {
        return (await client.send(new HeadObjectCommand(placeOf(key)))).ContentLength ?? 0;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async read(key, range) {
      // In Node the body is a Node stream.
      return (await open(key, range)) as unknown as Readable;
    },

    async readAll(key) {
      return (await open(key)).transformToByteArray();
    },

    async delete(key) {
      if (isObjectKey(key)) await client.send(new DeleteObjectCommand(placeOf(key)));
    },

    async *list() {
      for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket, Prefix: options.prefix })) {
        for (const { Key = "", Size = 0 } of Contents ?? []) {
          const key = Key.slice(options.prefix.length);
          if (isObjectKey(key)) yield { key, sizeBytes: Size };
        }
      }
    },

    async signedUrl(key, { contentType, contentDisposition }) {
      if (!options.signsUrls || !isObjectKey(key)) return null;
      const command = new GetObjectCommand({
        ...placeOf(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
      });
      return getSignedUrl(client, command, { expiresIn: SIGNED_URL_SECONDS });
    },

    async check() {
      try {
        await client.send(new HeadBucketCommand({ Bucket }));
      } catch (error) {
        throw new Error(`The bucket ${Bucket} cannot be used: ${explain(error)}`, { cause: error });
      }
    },

    close: () => client.destroy(),
  };
}

/** Repeats a call that fails because the server is away or busy. Throws the last error. */
async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isTemporary(error)) throw error;
      await delay(RETRY_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}

/** True for broken connections and for answers that another attempt may change. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return true;
  const { httpStatusCode = 0 } = error.$metadata;
  return httpStatusCode >= 500 || httpStatusCode === 429 || error.name === "RequestTimeout";
}

function explain(error: unknown): string {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (status === 404) return "there is no such bucket. Make it, or correct S3_BUCKET.";
  if (status === 403)
    return "the keys are not allowed to. Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and the bucket's policy.";
  if (status === 301 || status === 400) return "the server refuses the request. Check S3_REGION and S3_ENDPOINT.";
  return `${error instanceof Error ? error.message : String(error)}. Check S3_ENDPOINT.`;
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}

function notFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "File not found");
}
