// Uploads in storage and in PostgreSQL: list, delete, and expire.
import type { Selectable } from "kysely";
import { z } from "zod";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { Kernel } from "../kernel/kernel.ts";

export type StoredUpload = Selectable<Tables["uploads"]>;

/** Uploads that one sweep deletes per query. */
const SWEEP_BATCH = 100;

/** An account's uploads, newest first, and their total number. */
export async function listUploads(
  database: Queryable,
  userId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ uploads: StoredUpload[]; total: number }> {
  const own = database.selectFrom("uploads").where("user_id", "=", userId);
  const [uploads, { total }] = await Promise.all([
    own.selectAll().orderBy("uploaded_at", "desc").orderBy("id").limit(limit).offset(offset).execute(),
    own.select((is) => is.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { uploads, total };
}

/** Deletes an upload of an account. Returns false if the account has no such upload. */
export async function deleteUpload(
  services: Pick<Kernel, "database" | "storage">,
  userId: string,
  id: string,
): Promise<boolean> {
  if (!z.uuid().safeParse(id).success) return false;
  const upload = await services.database
    .selectFrom("uploads")
    .select(["id", "object_key"])
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (!upload) return false;
  await eraseUpload(services, upload);
  return true;
}

/** Deletes uploads that are older than `retentionMs`. 0 keeps all. */
export async function sweepUploads(
  services: Pick<Kernel, "database" | "storage" | "now">,
  retentionMs: number,
): Promise<void> {
  if (retentionMs === 0) return;
  const before = new Date(services.now() - retentionMs);
  for (;;) {
    const uploads = await services.database
      .selectFrom("uploads")
      .select(["id", "object_key"])
      .where("uploaded_at", "<", before)
      .limit(SWEEP_BATCH)
      .execute();
    for (const upload of uploads) await eraseUpload(services, upload);
    if (uploads.length < SWEEP_BATCH) return;
  }
}

/** The object is deleted first: after a crash in between, the row remains and the next attempt deletes both. */
async function eraseUpload(
  { database, storage }: Pick<Kernel, "database" | "storage">,
  { id, object_key }: Pick<StoredUpload, "id" | "object_key">,
): Promise<void> {
  await storage.delete(object_key);
  await database.deleteFrom("uploads").where("id", "=", id).execute();
}
