import { z } from "zod";
import { DAY_MS, flag, httpUrl, MB_BYTES, text, url, wholeNumber } from "./values.ts";

export const databaseSettings = z
  .object({ DATABASE_URL: url(/^postgres(ql)?$/, "postgres://").optional() })
  .transform(({ DATABASE_URL }) => ({ url: DATABASE_URL }));

export const diskSettings = z
  .object({
    AVATAR_DATA_DIR: text.default(".data"),
    AVATAR_MIN_FREE_DISK_MB: wholeNumber(0, 1_000_000_000).default(500),
  })
  .transform((disk) => ({
    dataDir: disk.AVATAR_DATA_DIR,
    minFreeBytes: disk.AVATAR_MIN_FREE_DISK_MB * MB_BYTES,
  }));

/** The bucket; undefined to store files on the disk. */
export const bucketSettings = z
  .object({
    S3_BUCKET: text.optional(),
    S3_ENDPOINT: httpUrl.optional(),
    S3_REGION: text.default("us-east-1"),
    S3_ACCESS_KEY_ID: text.optional(),
    S3_SECRET_ACCESS_KEY: text.optional(),
    S3_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*\/$/, "must be a path that ends with a slash")
      .or(z.literal(""))
      .default(""),
    S3_PATH_STYLE: flag.default(true),
    S3_SIGNED_URLS: flag.default(false),
  })
  .transform(({ S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, ...s3 }) =>
    bucket === undefined
      ? undefined
      : {
          bucket,
          region: s3.S3_REGION,
          endpoint: s3.S3_ENDPOINT,
          credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
          isPathStyle: s3.S3_PATH_STYLE,
          prefix: s3.S3_PREFIX,
          signsUrls: s3.S3_SIGNED_URLS,
        },
  );

/** How long is kept what people have sent and said. */
export const retentionSettings = z
  .object({
    AVATAR_UPLOAD_RETENTION_DAYS: wholeNumber(0, 36_500).default(0),
    AVATAR_TRANSCRIPT_DAYS: wholeNumber(0, 36_500).default(30),
    AVATAR_REMEMBER_VISITORS: flag.default(false),
  })
  .transform((retention) => ({
    /** 0 keeps uploads until their owner deletes them. */
    uploadMs: retention.AVATAR_UPLOAD_RETENTION_DAYS * DAY_MS,
    /** 0 keeps no messages. */
    transcriptMs: retention.AVATAR_TRANSCRIPT_DAYS * DAY_MS,
    /** Memories are made from kept messages. */
    remembersVisitors: retention.AVATAR_REMEMBER_VISITORS && retention.AVATAR_TRANSCRIPT_DAYS > 0,
  }));
