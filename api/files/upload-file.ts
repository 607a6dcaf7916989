// From a file that a caller sent, or an address they gave, to a stored asset.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import type { Account } from "../accounts/account.ts";
import type { UploadedFile } from "../kernel/http/uploaded-file.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type AssetCategory, CATEGORY_LIMITS_BYTES, FILE_KINDS, type FileType } from "../kernel/storage/file-kind.ts";
import { acceptFile } from "./accept-file.ts";

const FETCH_TIMEOUT_MS = 60_000;
/** Largest file of any category. */
export const MAX_UPLOAD_BYTES = Math.max(...Object.values(CATEGORY_LIMITS_BYTES));
const MAX_NAME_CHARACTERS = 150;

export type UploadSource = { kind: "url"; url: string } | { kind: "file"; file: UploadedFile; fileName: string | null };

export interface UploadRequest {
  account: Account;
  fileType: FileType;
  source: UploadSource;
}

/** An asset as its sender gets to know it. */
export interface Upload {
  /** A link that does not expire. Nobody can guess it, and whoever has it may fetch the file. */
  url: string;
  /** The address it came from, or its name. */
  source: string;
  sizeBytes: number;
  mimeType: string;
  category: AssetCategory;
  uploadedAt: Date;
}

type UploadServices = Pick<Kernel, "database" | "storage" | "fileLinks" | "outgoing" | "now">;

/** Checks and stores a file. Throws what `acceptFile` throws, DOWNLOAD_FAILED for an address that is not publicly reachable or
 *  leads to nothing, and VALIDATION_ERROR for one that is none, or for an empty file. */
export async function uploadFile(
  services: UploadServices,
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
    if (saved.sizeBytes === 0) throw new ServiceError("DOWNLOAD_FAILED", "The file behind the URL is empty");
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

async function fetchTo({ outgoing }: UploadServices, url: string, path: string) {
  // What is no address at all is the caller's slip; one that does not lead anywhere public is a failed download.
  if (!URL.canParse(url)) throw new ServiceError("VALIDATION_ERROR", `file_url is not a URL: ${url.slice(0, 200)}`);
  try {
    return await outgoing.save(url, path, { maxBytes: MAX_UPLOAD_BYTES, timeoutMs: FETCH_TIMEOUT_MS });
  } catch (error) {
    if (!isServiceError(error) || error.code !== "VALIDATION_ERROR") throw error;
    throw new ServiceError("DOWNLOAD_FAILED", error.message, { cause: error });
  }
}

async function storeUpload(
  { database, storage, fileLinks, now }: UploadServices,
  account: Account,
  file: Pick<UploadedFile, "path" | "sizeBytes">,
  claims: { fileName: string | null; fileType: FileType; source: string },
): Promise<Upload> {
  const kind = await acceptFile(file.path, file.sizeBytes, claims);
  const { category, mimeType, extensions } = FILE_KINDS[kind];
  const id = randomUUID();
  const fileName = displayName(claims.fileName, extensions[0]);
  const stored = await storage.putFile(`uploads/${id}.${extensions[0]}`, file.path);
  const uploadedAt = new Date(now());
  await database
    .insertInto("uploads")
    .values({
      id,
      user_id: account.userId,
      object_key: stored.key,
      file_name: fileName,
      mime_type: mimeType,
      category,
      size_bytes: stored.sizeBytes,
      sha256: stored.sha256,
      uploaded_at: uploadedAt,
    })
    .execute();
  return {
    url: fileLinks.linkTo(stored.key, { expiresInSeconds: null, filename: fileName }),
    source: claims.source,
    sizeBytes: stored.sizeBytes,
    mimeType,
    category,
    uploadedAt,
  };
}

/** A name to save the file under: the sender's own, with the extension that its bytes have. */
function displayName(fileName: string | null, extension: string): string {
  const base = (fileName ?? "").replace(/^.*[/\\]/, "").replace(/\.[A-Za-z0-9]{1,10}\s*$/, "");
  const safe = base.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._]+/, "");
  return `${safe.slice(0, MAX_NAME_CHARACTERS) || "file"}.${extension}`;
}
