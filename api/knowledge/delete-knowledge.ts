// Deletes source files and knowledge bases with everything that was derived from them.
import type { KnowledgeServices } from "./knowledge-services.ts";
import {
  findKnowledgeBase,
  type KnowledgeBase,
  type KnowledgeFile,
  listBasesOf,
  markChanged,
  updateKnowledgeBase,
} from "./knowledge-store.ts";
import { startBuild } from "./sources/start-build.ts";

type Services = Pick<KnowledgeServices, "database" | "storage">;

/** Deletes a source file. Its passages can no longer be found, and each base that holds it is built again without it. A
 *  base that cannot be built now stays stale. */
export async function deleteSource(services: Services, file: KnowledgeFile, now: Date): Promise<void> {
  const { database, storage } = services;
  // Objects go before their rows: after a crash in between, deleting again finishes the work.
  await storage.delete(file.object_key);
  const artifacts = await database.transaction().execute(async (transaction) => {
    const keys: string[] = [];
    for (const id of (await listBasesOf(transaction, file.id)).sort()) {
      const base = await findKnowledgeBase(transaction, id, { lock: true });
      if (!base) continue;
      await transaction
        .deleteFrom("knowledge_base_files")
        .where("kb_id", "=", id)
        .where("file_id", "=", file.id)
        .execute();
      if (base.built_id !== null) {
        const passages = transaction.deleteFrom("knowledge_passages").where("build_id", "=", base.built_id);
        await passages.where("file_id", "=", file.id).execute();
      }
      if (base.artifact_key !== null) keys.push(base.artifact_key);
      await updateKnowledgeBase(transaction, id, { artifact_key: null });
      await markChanged(transaction, id);
      const changed = await findKnowledgeBase(transaction, id);
      if (changed) await startBuild(transaction, changed, changed.user_id, now);
    }
    await transaction.deleteFrom("knowledge_files").where("id", "=", file.id).execute();
    return keys;
  });
  for (const key of artifacts) await storage.delete(key);
}

/** Deletes a knowledge base: agents no longer use it, and a running build of it ends without effect. Its source files
 *  stay. */
export async function deleteKnowledgeBase({ database, storage }: Services, base: KnowledgeBase): Promise<void> {
  if (base.artifact_key !== null) await storage.delete(base.artifact_key);
  await database.deleteFrom("knowledge_bases").where("id", "=", base.id).execute();
}
