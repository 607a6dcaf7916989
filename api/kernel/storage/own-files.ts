// An outgoing client that reads links of this installation from storage. Callers can then use the URL of an upload
// wherever a URL is accepted, even if this machine cannot reach its own public address.
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { OutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { presentFile } from "./file-headers.ts";
import type { FileLinks } from "./file-links.ts";
import type { ObjectStorage } from "./object-storage.ts";

export interface OwnFilesOptions {
  outgoing: OutgoingClient;
  fileLinks: FileLinks;
  storage: ObjectStorage;
}

/** As `outgoing`, but `download` and `save` read valid links of this installation from storage. */
export function withOwnFiles({ outgoing, fileLinks, storage }: OwnFilesOptions): OutgoingClient {
  async function sizeWithin(key: string, maxBytes: number): Promise<void> {
    const sizeBytes = await storage.sizeOf(key);
    if (sizeBytes === null) throw new ServiceError("DOWNLOAD_FAILED", "The file at the URL was deleted");
    if (sizeBytes > maxBytes) {
      throw new ServiceError("FILE_TOO_LARGE", `The file at the URL is larger than ${Math.floor(maxBytes / 1e6)} MB`);
    }
  }

  return {
    ...outgoing,
    async download(url, options) {
      const key = fileLinks.keyOf(url);
      if (key === null) return outgoing.download(url, options);
      await sizeWithin(key, options.maxBytes);
      return { bytes: await storage.readAll(key), contentType: presentFile(key, undefined).contentType };
    },
    async save(url, path, options) {
      const key = fileLinks.keyOf(url);
      if (key === null) return outgoing.save(url, path, options);
      await sizeWithin(key, options.maxBytes);
      const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
      await pipeline(await storage.read(key), file);
      return {
        sizeBytes: file.bytesWritten,
        contentType: presentFile(key, undefined).contentType,
        fileName: key.slice(key.indexOf("/") + 1),
      };
    },
  };
}
