// Adds source files, from a form or from a URL that may be fetched again at intervals.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFile } from "../../../program/http/uploaded-file.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { detectKind } from "../../files/detect-kind.ts";
import { extensionOf } from "../../kernel/storage/file-kind.ts";
import {
  MAX_SOURCE_BYTES,
  nextSync,
  SOURCE_EXTENSIONS,
  type SourceExtension,
  type SyncFrequency,
  sourceExtension,
} from "../knowledge-base.ts";
import { assertKnowledgeQuota, assertSyncedSources } from "../knowledge-quota.ts";
import type { KnowledgeServices } from "../knowledge-services.ts";
import { insertFile, type KnowledgeFile } from "../knowledge-store.ts";

const FETCH_TIMEOUT_MS = 60_000;
const MAX_NAME_CHARACTERS = 255;
/** Extensions by the served media type, for URLs without an extension. */
const SERVED_TYPES: Readonly<Record<string, SourceExtension>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
};

type Services = Pick<KnowledgeServices, "database" | "storage" | "outgoing" | "links" | "now">;

/** A document on disk, with its name. */
interface Document {
  path: string;
  sizeBytes: number;
  fileName: string;
  extension: SourceExtension;
}

/** Stores a file that came with a form. Throws FILE_TOO_LARGE, UNSUPPORTED_TYPE, PLAN_REQUIRED (the organization's
 *  storage is full), and UNPROCESSABLE for an empty file. */
export async function addUploadedSource(
  services: Services,
  organizationId: string,
  file: UploadedFile,
  name: string | null,
): Promise<KnowledgeFile> {
  const named = sourceExtension(extensionOf(file.fileName)) ?? sourceExtension(extensionOf(name ?? ""));
  const document = await checkDocument(file, name ?? file.fileName, named);
  return storeSource(services, organizationId, document, { url: null, syncFrequency: "never" });
}

/** Fetches and stores a file. Throws as `addUploadedSource`, UNPROCESSABLE for a malformed or private URL, and
 *  DOWNLOAD_FAILED if there is no file. */
export function addFetchedSource(
  services: Services,
  organizationId: string,
  { url, name, syncFrequency }: { url: string; name: string | null; syncFrequency: SyncFrequency },
): Promise<KnowledgeFile> {
  return withFetched(services, url, name, (document) =>
    storeSource(services, organizationId, document, { url, syncFrequency }),
  );
}

/** Fetches a source again. Returns its new content, stored, or null if it has not changed. Throws as
 *  `addFetchedSource`. */
export function refetchSource(
  services: Services,
  file: KnowledgeFile,
): Promise<{ objectKey: string; sha256: string; sizeBytes: number } | null> {
  return withFetched(services, file.url ?? "", file.file_name, async (document) => {
    if ((await sha256Of(document.path)) === file.sha256) return null;
    const stored = await services.storage.putFile(newKey(file.ext), document.path);
    return { objectKey: stored.key, sha256: stored.sha256, sizeBytes: stored.sizeBytes };
  });
}

async function withFetched<T>(
  { outgoing }: Services,
  url: string,
  name: string | null,
  work: (document: Document) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-source-"));
  try {
    const path = join(folder, "source");
    const saved = await outgoing.save(url, path, { maxBytes: MAX_SOURCE_BYTES, timeoutMs: FETCH_TIMEOUT_MS });
    const named = sourceExtension(extensionOf(saved.fileName)) ?? sourceExtension(extensionOf(name ?? ""));
    const fileName = name ?? (saved.fileName === "" ? new URL(url).hostname : saved.fileName);
    return await work(
      await checkDocument(
        { path, sizeBytes: saved.sizeBytes },
        fileName,
        named ?? SERVED_TYPES[saved.contentType] ?? null,
      ),
    );
  } catch (error) {
    // The contract prescribes 422 here for URLs that the guard refuses.
    if (isServiceError(error) && error.code === "VALIDATION_ERROR") {
      throw new ServiceError("UNPROCESSABLE", error.message, { cause: error });
    }
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkDocument(
  file: { path: string; sizeBytes: number },
  fileName: string,
  named: SourceExtension | null,
): Promise<Document> {
  if (file.sizeBytes === 0) throw new ServiceError("UNPROCESSABLE", "The file is empty");
  if (file.sizeBytes > MAX_SOURCE_BYTES) {
    throw new ServiceError("FILE_TOO_LARGE", `A source file may have at most ${MAX_SOURCE_BYTES / 1e6} MB`);
  }
  const detected = await detectKind(file.path);
  // A URL without an extension may lead to a document with content that shows its type.
  const extension = named ?? (detected === "pdf" || detected === "docx" ? detected : null);
  if (extension === null) {
    throw new ServiceError(
      "UNSUPPORTED_TYPE",
      `The file extension is not supported. Supported: ${SOURCE_EXTENSIONS.join(", ")}`,
    );
  }
  const isBinary = extension === "pdf" || extension === "docx";
  const fits = isBinary
    ? detected === extension
    : detected === "text" || (extension === "html" && detected === "markup");
  if (!fits) throw new ServiceError("UNSUPPORTED_TYPE", `The content is not a ${extension} document`);
  return { ...file, fileName: fileName.slice(0, MAX_NAME_CHARACTERS), extension };
}

async function storeSource(
  { database, storage, links, now }: Services,
  organizationId: string,
  { path, sizeBytes, fileName, extension }: Document,
  { url, syncFrequency }: { url: string | null; syncFrequency: SyncFrequency },
): Promise<KnowledgeFile> {
  // Without a lock, so that an organization over its quota causes no writes; the transaction below decides.
  await assertKnowledgeQuota(database, links, organizationId, { addedBytes: sizeBytes, lock: false });
  const stored = await storage.putFile(newKey(extension), path);
  const at = new Date(now());
  const file: KnowledgeFile = {
    id: randomUUID(),
    organization_id: organizationId,
    file_name: fileName,
    ext: extension,
    size_bytes: stored.sizeBytes,
    sha256: stored.sha256,
    object_key: stored.key,
    source_kind: url === null ? "upload" : "url",
    url,
    sync_freq: syncFrequency,
    next_sync_at: nextSync(syncFrequency, at),
    sync_failures: 0,
    created_at: at,
  };
  try {
    await database.transaction().execute(async (transaction) => {
      const check = { addedBytes: stored.sizeBytes, lock: true };
      await assertKnowledgeQuota(transaction, links, organizationId, check);
      if (syncFrequency !== "never") await assertSyncedSources(transaction, organizationId);
      await insertFile(transaction, file);
    });
  } catch (error) {
    await storage.delete(stored.key);
    throw error;
  }
  return file;
}

function newKey(extension: SourceExtension): string {
  return `knowledge-files/${randomUUID()}.${extension}`;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
