// Opens the configured storage: a folder or a bucket.
import { join } from "node:path";
import type { Config } from "../../../program/config.ts";
import { createDiskStorage } from "./disk-storage.ts";
import type { ObjectStorage } from "./object-storage.ts";

/** The storage, checked. For an unusable bucket, throws an Error that says what to do. */
export async function openStorage({ bucket, disk }: Pick<Config, "bucket" | "disk">): Promise<ObjectStorage> {
  if (bucket === undefined) return createDiskStorage(join(disk.dataDir, "objects"), disk);
  // The S3 client is large, so it is loaded only on use.
  const { createS3Storage } = await import("./s3-storage.ts");
  const storage = createS3Storage(bucket);
  await storage.check();
  return storage;
}
