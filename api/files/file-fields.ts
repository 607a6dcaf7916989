// Descriptions of the fields of uploads.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const FILE_FIELDS: FieldDescriptions = {
  file_name: "The file's name; its extension may only agree with its content",
  file_url: "Link to the file; it works until the file is deleted",
  file_size: "Size in bytes",
  file_type: "The type that the request named",
  mime_type: "Type of the content",
  asset_category: "Which size limit holds",
  uploaded_at: "When it was uploaded, in UTC",
  original_source: "The file's name, or the URL that it came from",
  files: "The files",
  file_id: "The file",
  kind: "Kind of the stored object",
  expires: "When the link expires, in Unix seconds, or never",
  signature: "Proves that this service made the link",
  "files.download.name": "Name of the stored object, and the name to save it under",
};
