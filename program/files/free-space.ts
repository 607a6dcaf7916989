// Keeps a minimum of free disk space. In most installations the database shares its disk with files, and stops when the
// disk is full.
import { statfs } from "node:fs/promises";
import { ServiceError } from "../../shared/errors.ts";

const RETRY_AFTER_SECONDS = 60;

/** Throws SERVICE_UNAVAILABLE if writing `sizeBytes` to the disk of `folder` would leave less than `floorBytes`
 *  free. The folder must exist. A floor of 0 is not checked. */
export async function assertFreeSpace(folder: string, floorBytes: number, sizeBytes = 0): Promise<void> {
  if (await hasFreeSpace(folder, floorBytes, sizeBytes)) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    "The service has too little free disk space to store a file. Try again later.",
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

/** Whether `floorBytes` would be left after writing `sizeBytes` to the disk of `folder`. Always for a floor of 0. */
export async function hasFreeSpace(folder: string, floorBytes: number, sizeBytes = 0): Promise<boolean> {
  if (floorBytes === 0) return true;
  return (await freeBytes(folder)) - sizeBytes >= floorBytes;
}

/** Free space on the disk of a folder that exists, in bytes. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
