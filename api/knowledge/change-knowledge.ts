// Changes a knowledge base: its name, description and source files.
import { ServiceError } from "../../shared/errors.ts";
import { type KnowledgeOwner, requireKnowledgeBase } from "./agent-knowledge.ts";
import { MAX_FILES_PER_BASE } from "./knowledge-base.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import {
  findKnowledgeBase,
  type KnowledgeBase,
  listFilesOf,
  markChanged,
  replaceFilesOf,
  updateKnowledgeBase,
} from "./knowledge-store.ts";
import { requireFiles } from "./sources/source-routes.ts";

/** Null leaves a field as it is. */
export interface KnowledgeChange {
  name: string | null;
  /** An empty text removes it. */
  description: string | null;
  /** All files of the base, in their order. */
  fileIds: readonly string[] | null;
  /** Files that follow those. */
  addedFileIds: readonly string[] | null;
}

/** The changed base. Other files make it stale, until it is built. Throws MISSING_PARAM for no change, NOT_FOUND and
 *  FORBIDDEN for bases and files that the organization does not have, VALIDATION_ERROR for too many files. */
export async function changeKnowledgeBase(
  { database }: Pick<KnowledgeServices, "database">,
  owner: KnowledgeOwner,
  id: string,
  { name, description, fileIds, addedFileIds }: KnowledgeChange,
): Promise<KnowledgeBase> {
  if (name === null && description === null && fileIds === null && addedFileIds === null) {
    throw new ServiceError(
      "MISSING_PARAM",
      "Nothing to change: name, description, file_ids or add_file_ids is required",
    );
  }
  return database.transaction().execute(async (transaction) => {
    const base = await requireKnowledgeBase(transaction, owner, id, { lock: true });
    const patch = {
      ...(name !== null && { name }),
      ...(description !== null && { description: description.trim() || null }),
    };
    if (Object.keys(patch).length > 0) await updateKnowledgeBase(transaction, base.id, patch);
    if (fileIds !== null || addedFileIds !== null) {
      const current = (await listFilesOf(transaction, base.id)).map((file) => file.id);
      const named = await requireFiles(transaction, owner, [...(fileIds ?? []), ...(addedFileIds ?? [])]);
      const kept = fileIds === null ? current : [];
      const wanted = [...new Set([...kept, ...named.map((file) => file.id)])];
      if (wanted.length > MAX_FILES_PER_BASE) {
        throw new ServiceError("VALIDATION_ERROR", `A knowledge base has at most ${MAX_FILES_PER_BASE} source files`);
      }
      if (wanted.join() !== current.join()) {
        await replaceFilesOf(transaction, base.id, wanted);
        await markChanged(transaction, base.id);
      }
    }
    return (await findKnowledgeBase(transaction, base.id)) ?? base;
  });
}
