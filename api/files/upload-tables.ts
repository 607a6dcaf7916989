// The table of uploaded files, as migration 0009 made it.
import type { AssetCategory } from "../kernel/storage/file-kind.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    uploads: {
      id: string;
      user_id: string;
      /** Key in object storage. */
      object_key: string;
      /** As its sender named it; for display only. */
      file_name: string;
      mime_type: string;
      category: AssetCategory;
      size_bytes: number;
      sha256: string;
      uploaded_at: Date;
    };
  }
}
