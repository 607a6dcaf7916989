// Keeps a minimum of free disk space. In most installations the database shares its disk with files, and stops when the
// disk is full.
import { statfs } from "node:fs/promises";
import { ServiceError } from "../../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 60;

/** Throws SERVICE_UNAVAILABLE if writing `sizeBytes` to the disk of `folder` would leave less than `floorBytes`
 *  free. The folder must exist. A floor of 0 is not checked. */
export async function assertFreeSpace(folder: string, floorBytes: number, sizeBytes = 0): Promise<void> {
  if (floorBytes === 0) return;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - sizeBytes >= floorBytes) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    "The service has too little free disk space to store a file. Try again later.",
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
