// Opens the configured storage: a folder or a bucket.
import { join } from "node:path";
import type { Config } from "../../../shared/config.ts";
import { createDiskStorage } from "./disk-storage.ts";
import type { ObjectStorage } from "./object-storage.ts";

/** The storage, checked. For an unusable bucket, throws an Error whose message says what to do. */
export async function openStorage(config: Config): Promise<ObjectStorage> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined)
    return createDiskStorage(join(config.AVATAR_DATA_DIR, "objects"), {
      minFreeBytes: config.AVATAR_MIN_FREE_DISK_MB * 1e6,
    });
  // The S3 client is large, so it is loaded only on use.
  const { createS3Storage } = await import("./s3-storage.ts");
  const storage = createS3Storage({
    bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    isPathStyle: config.S3_PATH_STYLE,
    prefix: config.S3_PREFIX,
    signsUrls: config.S3_SIGNED_URLS,
  });
  await storage.check();
  return storage;
}
