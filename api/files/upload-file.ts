// Stores a file that a caller uploads, or names by URL, as an asset.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFile } from "../../program/http/uploaded-file.ts";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import { type AssetCategory, CATEGORY_LIMITS_BYTES, FILE_KINDS, type FileType } from "../kernel/storage/file-kind.ts";
import { acceptFile } from "./accept-file.ts";
import type { FileServices } from "./file-services.ts";
import { assertUploadQuota } from "./storage-quota.ts";

const FETCH_TIMEOUT_MS = 60_000;
/** Largest file of any category. */
const MAX_UPLOAD_BYTES = Math.max(...Object.values(CATEGORY_LIMITS_BYTES));
const MAX_NAME_CHARACTERS = 150;

export type UploadSource = { kind: "url"; url: string } | { kind: "file"; file: UploadedFile; fileName: string | null };

export interface UploadRequest {
  account: Account;
  fileType: FileType;
  source: UploadSource;
}

/** A stored upload, as its sender sees it. */
export interface Upload {
  id: string;
  /** A link that does not expire. It is unguessable, and grants access to the file. */
  url: string;
  /** The URL or the name of the file. */
  source: string;
  sizeBytes: number;
  mimeType: string;
  category: AssetCategory;
  uploadedAt: Date;
}

/** Checks and stores a file. Throws what `acceptFile` throws; PLAN_REQUIRED if it exceeds the storage of the account's
 *  plan; DOWNLOAD_FAILED for a URL that is not publicly reachable or has no file; VALIDATION_ERROR for a
 *  malformed URL or an empty file. */
export async function uploadFile(
  services: FileServices,
  { account, fileType, source }: UploadRequest,
): Promise<Upload> {
  if (source.kind === "file") {
    const { file, fileName } = source;
    if (file.sizeBytes === 0) throw new ServiceError("VALIDATION_ERROR", "The file is empty");
    return storeUpload(services, account, file, { fileName, fileType, source: fileName ?? "upload" });
  }
  const folder = await mkdtemp(join(tmpdir(), "avatar-fetch-"));
  try {
    const path = join(folder, "file");
    const saved = await fetchTo(services, source.url, path);
    if (saved.sizeBytes === 0) throw new ServiceError("DOWNLOAD_FAILED", "The file at the URL is empty");
    const fileName = saved.fileName === "" ? null : saved.fileName;
    return await storeUpload(
      services,
      account,
      { path, sizeBytes: saved.sizeBytes },
      { fileName, fileType, source: source.url },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchTo({ outgoing }: FileServices, url: string, path: string) {
  // A malformed URL is invalid input; a URL without a public address is a failed download.
  if (!URL.canParse(url)) throw new ServiceError("VALIDATION_ERROR", `file_url is not a URL: ${url.slice(0, 200)}`);
  try {
    return await outgoing.save(url, path, { maxBytes: MAX_UPLOAD_BYTES, timeoutMs: FETCH_TIMEOUT_MS });
  } catch (error) {
    if (!isServiceError(error) || error.code !== "VALIDATION_ERROR") throw error;
    throw new ServiceError("DOWNLOAD_FAILED", error.message, { cause: error });
  }
}

async function storeUpload(
  { database, storage, fileLinks, links, now }: FileServices,
  account: Account,
  file: Pick<UploadedFile, "path" | "sizeBytes">,
  claims: { fileName: string | null; fileType: FileType; source: string },
): Promise<Upload> {
  const { userId } = account;
  const addedBytes = file.sizeBytes;
  // Without a lock, so that an account over its quota causes no writes; the transaction below decides.
  await assertUploadQuota(database, links, userId, { addedBytes, lock: false });
  const kind = await acceptFile(file.path, file.sizeBytes, claims);
  const { category, mimeType, extensions } = FILE_KINDS[kind];
  const id = randomUUID();
  const fileName = displayName(claims.fileName, extensions[0]);
  const stored = await storage.putFile(`uploads/${id}.${extensions[0]}`, file.path);
  const uploadedAt = new Date(now());
  const row = {
    id,
    user_id: userId,
    object_key: stored.key,
    file_name: fileName,
    mime_type: mimeType,
    category,
    size_bytes: stored.sizeBytes,
    sha256: stored.sha256,
    uploaded_at: uploadedAt,
  };
  try {
    await database.transaction().execute(async (transaction) => {
      await assertUploadQuota(transaction, links, userId, { addedBytes, lock: true });
      await transaction.insertInto("uploads").values(row).execute();
    });
  } catch (error) {
    await storage.delete(stored.key);
    throw error;
  }
  return {
    id,
    url: fileLinks.linkTo(stored.key, { expiresInSeconds: null, filename: fileName }),
    source: claims.source,
    sizeBytes: stored.sizeBytes,
    mimeType,
    category,
    uploadedAt,
  };
}

/** The filename for downloads: the sender's, with the extension of the detected kind. */
function displayName(fileName: string | null, extension: string): string {
  const base = (fileName ?? "").replace(/^.*[/\\]/, "").replace(/\.[A-Za-z0-9]{1,10}\s*$/, "");
  const safe = base.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._]+/, "");
  return `${safe.slice(0, MAX_NAME_CHARACTERS) || "file"}.${extension}`;
}
