// Looks at addresses again whose time has come. What changed is stored, and the bases that hold it are built again.
import { isServiceError } from "../../shared/errors.ts";
import { refetchSource } from "./add-source.ts";
import { nextSync } from "./knowledge-base.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import {
  findKnowledgeBase,
  type KnowledgeFile,
  listBasesOf,
  markChanged,
  takeSourcesToSync,
  updateFile,
} from "./knowledge-store.ts";
import { startBuild } from "./start-build.ts";

const SOURCES_AT_A_TIME = 20;
/** A source that a process died over, or that could not be fetched, is tried again after this long. */
const RETRY_AFTER_MS = 3_600_000;

/** One round. Safe to run in several processes at once. Never throws for a source: the other ones have their turn. */
export async function syncSources(services: KnowledgeServices): Promise<void> {
  const { database, logger } = services;
  const now = new Date(services.now());
  const retryAt = new Date(now.getTime() + RETRY_AFTER_MS);
  for (const file of await takeSourcesToSync(database, now, retryAt, SOURCES_AT_A_TIME)) {
    try {
      await syncSource(services, file, now);
    } catch (error) {
      const why = isServiceError(error) ? { reason: error.message } : { err: error };
      logger.info({ ...why, fileId: file.id }, "source of a knowledge base could not be fetched again");
    }
  }
}

async function syncSource(services: KnowledgeServices, file: KnowledgeFile, now: Date): Promise<void> {
  const { database, storage } = services;
  const changed = await refetchSource(services, file);
  const next = nextSync(file.sync_freq, now);
  if (!changed) {
    await updateFile(database, file.id, { next_sync_at: next });
    return;
  }
  await database.transaction().execute(async (transaction) => {
    const { objectKey, sha256, sizeBytes } = changed;
    await updateFile(transaction, file.id, {
      object_key: objectKey,
      sha256,
      size_bytes: sizeBytes,
      next_sync_at: next,
    });
    for (const id of await listBasesOf(transaction, file.id)) {
      await markChanged(transaction, id);
      const base = await findKnowledgeBase(transaction, id, { lock: true });
      // A build that may not start now leaves the base stale: its owner sees that and may build it.
      if (base) await startBuild(transaction, base, base.user_id, now);
    }
  });
  await storage.delete(file.object_key);
}
