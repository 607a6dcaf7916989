// Descriptions of the fields of uploads.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const FILE_FIELDS: FieldDescriptions = {
  "UploadedFile.id": "Id of the file, for DELETE /v1/files/{id}",
  file_name: "Name of the file; its extension must match its content",
  file_url: "Link to the file; it works until the file is deleted",
  file_size: "Size in bytes",
  file_type: "The file_type of the request",
  mime_type: "Type of the content",
  asset_category: "Category of the file, which decides its size limit",
  uploaded_at: "When it was uploaded, in UTC",
  original_source: "The file's name, or the URL that it came from",
  files: "The files",
  file_id: "Id of the file",
  kind: "Kind of the stored object",
  expires: "When the link expires, in Unix seconds, or never",
  signature: "Signature of the link by this service",
  "files.download.name": "Name of the stored object; as a query parameter, the filename for the download",
};
