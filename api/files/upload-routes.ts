// Routes of uploads.
import { z } from "zod";
import { uploadedFileSchema } from "../../program/http/uploaded-file.ts";
import { ServiceError } from "../../shared/errors.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { deletedSchema } from "../kernel/http/shared-schemas.ts";
import { ASSET_CATEGORIES, FILE_TYPES } from "../kernel/storage/file-kind.ts";
import type { FileServices } from "./file-services.ts";
import { type UploadSource, uploadFile } from "./upload-file.ts";
import { deleteUpload, listUploads } from "./upload-store.ts";

/** Fits 100 MB in base64 with line breaks, and the other fields. */
const BODY_LIMIT_BYTES = 140_000_000;

const bodySchema = z
  .object({
    file_url: z.string().min(1).max(4_096).nullish().meta({ description: "URL of the file" }),
    file_data: uploadedFileSchema.nullish().meta({ description: "The file in base64, or a base64 data URI" }),
    file: uploadedFileSchema.nullish().meta({ description: "The file, in a multipart body" }),
    file_name: z.string().min(1).max(255).nullish(),
    file_type: z
      .enum(FILE_TYPES)
      .nullish()
      .meta({ description: "Expected type. Default: auto. The upload is refused if the content has another type" }),
  })
  .meta({ id: "UploadFile", description: "Exactly one of file_url, file_data and file is required" });

type UploadBody = z.output<typeof bodySchema>;

/** A file that was just uploaded. */
const newFileSchema = z
  .object({
    id: z.string(),
    file_url: z.string(),
    original_source: z.string(),
    file_type: z.string(),
    file_size: z.int(),
    mime_type: z.string(),
    asset_category: z.enum(ASSET_CATEGORIES),
    uploaded_at: z.iso.datetime(),
  })
  .meta({ id: "UploadedFile" });

/** A file in the list of files. */
const storedFileSchema = z
  .object({
    id: z.string(),
    file_url: z.string(),
    file_name: z.string(),
    file_size: z.int(),
    mime_type: z.string(),
    asset_category: z.enum(ASSET_CATEGORIES),
    uploaded_at: z.iso.datetime(),
  })
  .meta({ id: "StoredFile" });

/** The routes. */
export function uploadRoutes(services: FileServices): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/files/upload",
      operation: "files.upload",
      tier: "write",
      auth: "secret",
      summary: "Upload a file as an asset: by URL, in base64, or as a form",
      tags: ["Files"],
      body: bodySchema,
      example: { body: { file_url: "https://museum.example/whale.jpg" } },
      bodyTypes: ["json", "multipart"],
      bodyLimitBytes: BODY_LIMIT_BYTES,
      fileFields: ["file_data"],
      response: z.object({
        success: z.literal(true),
        message: z.string(),
        data: newFileSchema,
      }),
      errors: ["DOWNLOAD_FAILED", "FILE_TOO_LARGE", "UNSUPPORTED_TYPE", "PLAN_REQUIRED", "SERVICE_UNAVAILABLE"],
      async handler({ body, caller }) {
        const fileType = body.file_type ?? "auto";
        const upload = await uploadFile(services, { account: caller.account, fileType, source: sourceOf(body) });
        return {
          success: true as const,
          message: "File uploaded",
          data: {
            id: upload.id,
            file_url: upload.url,
            original_source: upload.source,
            file_type: fileType,
            file_size: upload.sizeBytes,
            mime_type: upload.mimeType,
            asset_category: upload.category,
            uploaded_at: upload.uploadedAt.toISOString(),
          },
        };
      },
    }),
    route({
      method: "get",
      path: "/v1/files",
      operation: "files.list",
      tier: "read",
      auth: "secret",
      summary: "List the account's uploads, newest first",
      tags: ["Files"],
      query: z.object({
        limit: z.coerce.number().int().min(1).max(200).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
      response: z.object({
        files: z.array(storedFileSchema),
        total: z.int(),
      }),
      errors: [],
      async handler({ query, caller }) {
        const { uploads, total } = await listUploads(services.database, caller.account.userId, query);
        const files = uploads.map((upload) => ({
          id: upload.id,
          file_url: services.fileLinks.linkTo(upload.object_key, {
            expiresInSeconds: null,
            filename: upload.file_name,
          }),
          file_name: upload.file_name,
          file_size: upload.size_bytes,
          mime_type: upload.mime_type,
          asset_category: upload.category,
          uploaded_at: upload.uploaded_at.toISOString(),
        }));
        return { files, total };
      },
    }),
    route({
      method: "delete",
      path: "/v1/files/:file_id",
      operation: "files.delete",
      tier: "write",
      auth: "secret",
      summary: "Delete an upload; its link stops working at once",
      tags: ["Files"],
      params: z.object({ file_id: z.string() }),
      response: deletedSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        if (!(await deleteUpload(services, caller.account.userId, params.file_id))) {
          throw new ServiceError("NOT_FOUND", `This account has no file ${params.file_id.slice(0, 100)}`);
        }
        return { success: true as const, deleted: true as const };
      },
    }),
  ];
}

function sourceOf(body: UploadBody): UploadSource {
  const given = [body.file_url, body.file_data, body.file].filter((value) => value !== null && value !== undefined);
  if (given.length === 0)
    throw new ServiceError("MISSING_PARAM", "One of file_url, file_data and file (multipart) is required");
  if (given.length > 1)
    throw new ServiceError("VALIDATION_ERROR", "Only one of file_url, file_data and file may be given");
  if (body.file_url) return { kind: "url", url: body.file_url };
  const file = body.file ?? body.file_data;
  if (!file) throw new ServiceError("MISSING_PARAM", "One of file_url, file_data and file (multipart) is required");
  return { kind: "file", file, fileName: body.file_name ?? (file.fileName === "" ? null : file.fileName) };
}
