// The route that takes files in.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { uploadedFileSchema } from "../kernel/http/uploaded-file.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { ASSET_CATEGORIES, FILE_TYPES } from "../kernel/storage/file-kind.ts";
import { type UploadSource, uploadFile } from "./upload-file.ts";

/** Room for 100 MB in base64 with line breaks, and the rest. */
const BODY_LIMIT_BYTES = 140_000_000;

const bodySchema = z
  .object({
    file_url: z.string().min(1).max(4_096).nullish().meta({ description: "Where to fetch the file" }),
    file_data: uploadedFileSchema.nullish().meta({ description: "The file in base64, or a base64 data URI" }),
    file: uploadedFileSchema.nullish().meta({ description: "The file, in a multipart body" }),
    file_name: z.string().min(1).max(255).nullish(),
    file_type: z.enum(FILE_TYPES).nullish().meta({ description: "Default: auto. What the bytes are not is refused" }),
  })
  .meta({ id: "UploadFile", description: "One of file_url, file_data and file" });

type UploadBody = z.output<typeof bodySchema>;

/** The routes. */
export function uploadRoutes(services: Kernel): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/files/upload",
      tier: "write",
      auth: "secret",
      summary: "Store a file as an asset: by its address, in base64, or as a form",
      tags: ["Files"],
      body: bodySchema,
      bodyTypes: ["json", "multipart"],
      bodyLimitBytes: BODY_LIMIT_BYTES,
      fileFields: ["file_data"],
      response: z.object({
        success: z.literal(true),
        message: z.string(),
        data: z.object({
          file_url: z.string(),
          original_source: z.string(),
          file_type: z.string(),
          file_size: z.int(),
          mime_type: z.string(),
          asset_category: z.enum(ASSET_CATEGORIES),
          uploaded_at: z.iso.datetime(),
        }),
      }),
      errors: ["DOWNLOAD_FAILED", "FILE_TOO_LARGE", "UNSUPPORTED_TYPE"],
      async handler({ body, caller }) {
        const fileType = body.file_type ?? "auto";
        const upload = await uploadFile(services, { account: caller.account, fileType, source: sourceOf(body) });
        return {
          success: true as const,
          message: "File uploaded",
          data: {
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
  ];
}

function sourceOf(body: UploadBody): UploadSource {
  const given = [body.file_url, body.file_data, body.file].filter((value) => value !== null && value !== undefined);
  if (given.length === 0) throw new ServiceError("MISSING_PARAM", "Give file_url, file_data or a form with file");
  if (given.length > 1) throw new ServiceError("VALIDATION_ERROR", "Give only one of file_url, file_data and file");
  if (body.file_url) return { kind: "url", url: body.file_url };
  const file = body.file ?? body.file_data;
  if (!file) throw new ServiceError("MISSING_PARAM", "Give file_url, file_data or a form with file");
  return { kind: "file", file, fileName: body.file_name ?? (file.fileName === "" ? null : file.fileName) };
}
