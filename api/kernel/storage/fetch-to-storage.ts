// Fetches a caller's URL into object storage, past the memory of this process.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../program/config.ts";
import { assertFreeSpace } from "../../../program/files/free-space.ts";
import type { DownloadOptions, OutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import type { ObjectStorage } from "./object-storage.ts";

export interface FetchServices {
  config: Pick<Config, "disk">;
  outgoing: OutgoingClient;
  storage: ObjectStorage;
}

/** Stores the file at a URL under a key and returns its size in bytes. Throws the errors of the download, and
 *  SERVICE_UNAVAILABLE without enough disk space. */
export async function fetchToStorage(
  { config, outgoing, storage }: FetchServices,
  url: string,
  key: string,
  options: DownloadOptions,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-fetch-"));
  try {
    await assertFreeSpace(folder, config.disk.minFreeBytes, options.maxBytes);
    const path = join(folder, "file");
    const { sizeBytes } = await outgoing.save(url, path, options);
    await storage.putFile(key, path);
    return sizeBytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
