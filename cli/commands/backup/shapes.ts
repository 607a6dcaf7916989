// What `avatar backup` and `avatar restore` print with --json.
import { z } from "zod";

export const backupShape = z.strictObject({
  folder: z.string(),
  created_at: z.string(),
  tables: z.int(),
  rows: z.int(),
  jobs: z.int().meta({ description: "That wait" }),
  files: z.int().nullable().meta({ description: "Null if they stay in their bucket" }),
  file_bytes: z.int().nullable(),
});

export const restoreShape = z.strictObject({
  folder: z.string(),
  created_at: z.string(),
  version: z.string(),
  rows: z.int(),
  jobs: z.int(),
  files: z.int().nullable(),
});
