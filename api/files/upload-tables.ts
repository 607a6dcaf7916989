// Table of uploaded files, as created by migration 0009.
import type { AssetCategory } from "../kernel/storage/file-kind.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    uploads: {
      id: string;
      user_id: string;
      /** Key in object storage. */
      object_key: string;
      /** Name given by the sender; for display only. */
      file_name: string;
      mime_type: string;
      category: AssetCategory;
      size_bytes: number;
      sha256: string;
      uploaded_at: Date;
    };
  }
}
